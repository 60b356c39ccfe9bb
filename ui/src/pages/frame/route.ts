// SPDX-License-Identifier: Apache-2.0
import type { Component } from "svelte";

import type { ContentKind, RunFacts } from "../../core/runs/runTable";
import type { MessageKey } from "../../i18n/i18n.svelte";
import type { IconSource } from "../../widgets/controls/icons";

/** A page of the viewer: where it is, what it is called, what it shows. */
export interface Route {
  path: string;
  name: MessageKey;
  /** Other words by which the search has the page. */
  words?: MessageKey;
  group: (typeof PAGE_GROUPS)[number];
  icon: IconSource;
  /** The page's own code: it is fetched when the page is first opened. */
  load: () => Promise<{ default: Component }>;
  /** Kinds of data that the page shows; undefined for pages that show any run. */
  shows?: readonly string[];
  /** Files beside event files that the page shows. */
  contents?: readonly ContentKind[];
  /** Files that the page shows too, with which no run opens it. */
  alsoShows?: readonly ContentKind[];
  /** The page has something to show without a run. */
  needsNoRun?: boolean;
  /** The page has the table of runs in place of the list beside it. */
  hasRunTable?: boolean;
}

/** Groups of the navigation, from the top. */
export const PAGE_GROUPS = ["results", "data", "model", "system"] as const;

/** Whether a page has something of a run to show. */
export function hasData({ shows, contents = [] }: Pick<Route, "shows" | "contents">, run: Pick<RunFacts, "tags" | "contents">): boolean {
  if (shows === undefined || shows.some((kind) => (run.tags[kind] ?? 0) > 0)) return true;
  return run.contents?.some(({ kind }) => contents.includes(kind)) ?? false;
}

/** Whether a run holds logs and nothing else. */
export function hasLogsOnly({ contents = [] }: Pick<RunFacts, "contents">): boolean {
  return contents.some(({ kind }) => kind === "log_file");
}

/** The page that opens with a run: the first that shows something of it. Logs come last, since any run may have some. */
export function firstPage(routes: readonly Route[], run: Pick<RunFacts, "tags" | "contents">): string {
  const route = routes.find((one) => one.shows !== undefined && hasData(one, run));
  if (route) return route.path;
  const hasTags = Object.values(run.tags).some((count) => count > 0);
  return hasTags ? "/dashboard" : hasLogsOnly(run) ? "/logs" : "/scalars";
}

/** Under this name the app gives pages the list of all pages. */
export const ROUTES_CONTEXT = Symbol("routes");
