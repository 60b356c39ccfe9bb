// SPDX-License-Identifier: Apache-2.0
import type { Component } from "svelte";

import type { MessageKey } from "../../i18n/i18n.svelte";
import type { IconSource } from "../../widgets/controls/icons";

/** A page of the viewer: where it is, what it is called, what it shows. */
export interface Route {
  path: string;
  name: MessageKey;
  icon: IconSource;
  /** The page's own code: it is fetched when the page is first opened. */
  load: () => Promise<{ default: Component }>;
  /** Kinds of data that the page shows; undefined for pages that show any run. */
  shows?: readonly string[];
  /** The navigation lists the page only where a run has data of it. */
  isOptional?: boolean;
}

/** Whether there is something to see on a page. `tags` has the number of tags for each kind. */
export function hasData({ shows }: Route, tags: Readonly<Record<string, number>>): boolean {
  return shows === undefined || shows.some((kind) => (tags[kind] ?? 0) > 0);
}

/** Under this name the app gives pages the list of all pages. */
export const ROUTES_CONTEXT = Symbol("routes");
