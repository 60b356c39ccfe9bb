// SPDX-License-Identifier: Apache-2.0
import { getContext, type Component } from "svelte";

import { isMediaKind, type MediaKind } from "../../core/view/valueView";
import { pageLocation } from "../../state/view/location.svelte";
import { selection } from "../../state/view/selection.svelte";
import { view } from "../../state/view/view.svelte";
import type { RunFacts } from "../../core/runs/runTable";
import type { LineageChart } from "../../core/view/lineageView";
import type { CardContent } from "../../export/html/model";
import type { SavedMedia } from "../../export/stepCards";
import type { MessageKey } from "../../i18n/i18n.svelte";
import type { TagRuns } from "../../state/data/tags.svelte";
import type { Previews } from "../../state/data/values.svelte";
import type { IconSource } from "../../widgets/controls/icons";
import type { Route } from "../frame/route";
import type { MediaCardProps } from "../series/mediaCard";
import type { Overview } from "./overview.svelte";
import type { Previewed } from "./TagPreview.svelte";

/** What every page asks of a kind of data. One module in `src/kinds` describes a kind. */
export interface KindDescriptor {
  /** The name in the API, where the API knows the kind. */
  kind: string;
  title: MessageKey;
  icon: IconSource;
  /** Number of tags in words, for the list of runs, which counts kinds without it as "other". */
  count?: MessageKey;
  /** Pages that show the kind, in the order of the navigation. */
  pages?: readonly Route[];
  /** The chart above the table of runs that shows the kind, where it has no page of its own. */
  chart?: LineageChart;
  /** The card on the dashboard. Without it the dashboard links to the first page. */
  card?: KindCard;
  /** How the page Media shows the kind. */
  media?: MediaDescriptor;
}

/** How the page Media shows a kind. */
export interface MediaDescriptor {
  /** Title of the page without values, and code that records one. */
  empty: MessageKey;
  code: string;
  /** The code comes when the page first shows the kind. */
  load: () => Promise<MediaCode>;
  saved: () => Promise<SavedMedia>;
  /** Height that a card needs at most, in pixels. */
  tallest?: number;
  /** Height that a card needs beside that of its content, where it reports that. */
  around?: number;
}

export type MediaDescriptors = Readonly<Record<MediaKind, MediaDescriptor & Pick<KindDescriptor, "title">>>;

/** What shows media of a kind. */
export interface MediaCode {
  Card: Component<MediaCardProps>;
  /** One tag over the whole page; without it the card of each run. */
  Full?: Component<{ tag: TagRuns }>;
  /** Own controls in the toolbar. */
  Controls?: Component;
}

/** A card on the dashboard: a preview of a run, or the code that records the kind. */
export interface KindCard {
  title?: MessageKey;
  testid: string;
  code: string | Readonly<Record<Framework, string>>;
  /**
   * Whether a run has the kind, by its line in the list of runs: where `amount` is known only after the previews are read.
   * `fields` counts those of its lineage, null until that is read.
   */
  holds?: (run: Pick<RunFacts, "contents" | "tags">, fields: number | null) => boolean;
  /** The preview is of one tag, which a person chooses. */
  isTagged?: boolean;
  /**
   * How much there is, in words; "" for nothing, null while it is unknown. By default the number of tags.
   * `fields` counts values of the lineage, `run` has the files beside event files.
   */
  amount?: (previews: Previews | null, fields: number | null, run: Pick<RunFacts, "contents" | "tags"> | undefined) => string | null;
  preview?: () => Promise<{ default: Component<PreviewProps> }>;
  /** The preview in a saved page. */
  saved?: () => Promise<SavedPreview>;
}

/** Properties of a preview. Without `isTagged` its tag is "". */
export interface PreviewProps extends Previewed {
  overview: Overview;
}

export type Framework = "mindspore" | "pytorch";

export type SavedPreview = (shown: { run: string; kind: string; previews: Previews }, signal: AbortSignal) => Promise<CardContent>;

/** The page of a kind; undefined for a kind without one. */
export function pageOfKind({ chart, pages }: KindDescriptor): string | undefined {
  return chart ? "/" : pages?.[0]?.path;
}

/** Opens the page of a kind with a run. The way back leads to the page before with the runs that it showed. */
export function openKind(kind: KindDescriptor, run: string): void {
  const path = pageOfKind(kind);
  if (path === undefined) return;
  pageLocation.open(path);
  selection.only(run);
  if (kind.chart) view.setLineage({ chart: kind.chart });
  if (isMediaKind(kind.kind)) view.setValues({ kind: kind.kind });
}

/** Its address, for another tab. */
export function addressOfKind(kind: KindDescriptor, run: string): string {
  const chart = kind.chart ? { lineage_chart: kind.chart } : {};
  const media = isMediaKind(kind.kind) ? { kind: kind.kind } : {};
  return `${pageOfKind(kind)}?${new URLSearchParams({ run, ...chart, ...media })}`;
}

/** Under this name the app gives pages the list of all kinds. */
export const KINDS_CONTEXT = Symbol("kinds");

/** Every kind, in the order of the navigation. Call it while a component is created. */
export function kindsContext(): readonly KindDescriptor[] {
  return getContext<readonly KindDescriptor[]>(KINDS_CONTEXT);
}

/** How the page Media shows its kinds. Call it while a component is created. */
export function mediaContext(): MediaDescriptors {
  const shown = kindsContext().flatMap(({ kind, title, media }) => (media ? [[kind, { ...media, title }] as const] : []));
  return Object.fromEntries(shown) as unknown as MediaDescriptors;
}
