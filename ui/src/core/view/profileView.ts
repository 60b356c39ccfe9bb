// SPDX-License-Identifier: Apache-2.0
import { layoutParams } from "./columnLayoutQuery";
import type { ProfileKey } from "./profileKey";
import { MEMORY_VIEW, STEPS_VIEW } from "./profileParts";
import { PROFILE_DIFF_VIEW, PROFILE_KEY } from "./profileDiffView";
import { ROWS_VIEW } from "./profileRows";
import { FLAME_ROOTS, OPEN_MODULES } from "./profileTrees";
import { fields, filter, list, natural, oneOf, optional, param, range, text, type Codec, type Param, type ValueOf } from "./schema";
import { TABLE_ORDERS } from "./tableOrders";

export type { ProfileKey };

export const PROFILE_TABS = ["overview", "operators", "modules", "timeline", "memory", "compare", "ranks"] as const;
export type ProfileTab = (typeof PROFILE_TABS)[number];

/** Tabs of former versions, and those that have what they had. */
const FORMER_TABS: Readonly<Record<string, ProfileTab>> = { kernels: "operators", steps: "overview" };
const TAB_NAME = oneOf(PROFILE_TABS);
const TAB: Codec<ProfileTab> = { ...TAB_NAME, read: (tab) => FORMER_TABS[tab] ?? TAB_NAME.read(tab) };

export const ROW_PARTS = ["operators", "kernels"] as const;
/** What the tab Operators lists. */
export type RowPart = (typeof ROW_PARTS)[number];
const ROW_PART = param("rows_part", oneOf(ROW_PARTS), "operators");

/** About the chosen slice, or the chosen range. */
export const TIMELINE_PANELS = ["details", "statistics", "flame"] as const;

/** A range of time that was dragged open, and the tracks in it; null for all. */
export interface TimelineArea {
  begin: number;
  end: number;
  tracks: readonly number[] | null;
}

/** Microseconds, as on the server. */
export const [USUAL_KERNEL_WAIT, MOST_KERNEL_WAIT] = [30, 1000];

const RANGE = range();

const AREA: Codec<TimelineArea> = {
  read: (area) => {
    const [begin = "", end = "", tracks = ""] = area.split("~");
    const times = RANGE.read(`${begin}~${end}`);
    if (!times) return null;
    const numbers = tracks.split(".").flatMap((track) => natural.read(track) ?? []);
    return { begin: times[0], end: times[1], tracks: numbers.length > 0 ? numbers : null };
  },
  write: ({ begin, end, tracks }) => [RANGE.write([begin, end]), ...(tracks === null ? [] : [tracks.join(".")])].join("~"),
};

const KERNEL_WAIT: Codec<number> = {
  read: (number) => {
    const wait = natural.read(number);
    return wait === null ? null : Math.min(MOST_KERNEL_WAIT, wait);
  },
  write: String,
};

/** What the page of profiles looks like. Times in nanoseconds. */
export const PROFILE_VIEW = fields({
  /** Null for the newest profile of the first run that has one. */
  chosen: optional("profile", PROFILE_KEY),
  tab: param("profile_tab", TAB, "overview"),
  part: { ...ROW_PART, read: (query) => (query.get("profile_tab") === "kernels" ? "kernels" : ROW_PART.read(query)) } as Param<RowPart>,
  /** Of the tab with a table. */
  rows: ROWS_VIEW,
  /** Of the tables of operators, kernels and modules. */
  columns: fields(layoutParams("rows_")),
  /** Of the tree of modules. */
  modules: OPEN_MODULES,
  flames: FLAME_ROOTS,
  /** The shown range; null for all. */
  range: optional("timeline", RANGE),
  slice: optional("timeline_slice", natural),
  area: optional("timeline_area", AREA),
  panel: param("timeline_panel", oneOf(TIMELINE_PANELS), "details"),
  search: filter("timeline_search", "timeline_regex"),
  /** Processes and tracks that are one line. */
  closed: list("timeline_closed", text),
  compare: PROFILE_DIFF_VIEW,
  memory: MEMORY_VIEW,
  steps: STEPS_VIEW,
  /** By what the cells of rank x step are colored. */
  rankMetric: param("rank_metric", text, "own"),
  /** Empty for the first one. */
  linkKind: param("link_kind", text, ""),
  /** Name of a further table; empty for the first one. */
  further: param("further_table", text, ""),
  /** A row of it. */
  furtherRow: optional("further_row", natural),
  /** A stream, by its device and its name. */
  stream: optional("profile_stream", text),
  /** Gaps between kernels that are shorter than these microseconds are kernel waits. */
  kernelWait: param("kernel_wait", KERNEL_WAIT, USUAL_KERNEL_WAIT),
  orders: TABLE_ORDERS,
});
export type ProfileView = ValueOf<typeof PROFILE_VIEW>;
