// SPDX-License-Identifier: Apache-2.0
import { defaultLayout, type ColumnLayout } from "../tables/columnLayout";
import type { Filter } from "../text/textFilter";
import { describeLayout, layoutOf } from "./columnLayoutQuery";
import { profileDiffViewOf, defaultProfileDiffView, describeProfileDiff, type ProfileDiffView } from "./profileDiffView";
import {
  defaultMemoryView,
  defaultStepsView,
  describeMemory,
  describeSteps,
  memoryViewOf,
  stepsViewOf,
  type MemoryView,
  type StepsView,
} from "./profileParts";
import { defaultRowsView, describeRows, rowsViewOf, type RowsView } from "./profileRows";
import type { ProfileKey } from "./profileKey";
import { describeFlames, describeModules, flameRootsOf, modulesViewOf, type FlameRoots, type OpenNodes } from "./profileTrees";
import { unique, wholeNumber } from "./queryValues";
import { describeOrders, ordersOf, type TableOrders } from "./tableOrders";

export type { ProfileKey };

export const PROFILE_TABS = [
  "overview",
  "operators",
  "kernels",
  "modules",
  "steps",
  "pipeline",
  "memory",
  "timeline",
  "compare",
  "ranks",
] as const;
export type ProfileTab = (typeof PROFILE_TABS)[number];

export const TIMELINE_PANELS = ["details", "statistics", "flame"] as const;
/** About the chosen slice, or the chosen range. */
export type TimelinePanel = (typeof TIMELINE_PANELS)[number];

/** A range of time that was dragged open, and the tracks in it; null for all. */
export interface TimelineArea {
  begin: number;
  end: number;
  tracks: readonly number[] | null;
}

/** What the page of profiles looks like; all of it is in the address. Times in nanoseconds. */
export interface ProfileView {
  /** Null for the newest profile of the first run that has one. */
  chosen: ProfileKey | null;
  tab: ProfileTab;
  /** Of the tab with a table. */
  rows: RowsView;
  /** Of the tables of operators, kernels and modules. */
  columns: ColumnLayout;
  /** Of the tree of modules. */
  modules: OpenNodes;
  flames: FlameRoots;
  /** The shown range; null for all. */
  range: readonly [number, number] | null;
  slice: number | null;
  area: TimelineArea | null;
  panel: TimelinePanel;
  search: Filter;
  /** Processes and tracks that are one line. */
  closed: readonly string[];
  compare: ProfileDiffView;
  memory: MemoryView;
  steps: StepsView;
  /** By what the cells of rank x step are colored. */
  rankMetric: string;
  /** Empty for the first one. */
  linkKind: string;
  /** Name of a further table; empty for the first one. */
  further: string;
  /** A row of it. */
  furtherRow: number | null;
  /** A stream, by its device and its name. */
  stream: string | null;
  /** Gaps between kernels that are shorter than these microseconds are kernel waits. */
  kernelWait: number;
  orders: TableOrders;
}

/** Microseconds, as on the server. */
export const [USUAL_KERNEL_WAIT, MOST_KERNEL_WAIT] = [30, 1000];

/** Begins the names of the parameters of `columns`. */
const COLUMNS = "rows_";

export function defaultProfileView(): ProfileView {
  return {
    chosen: null,
    tab: "overview",
    rows: defaultRowsView(),
    columns: defaultLayout(),
    modules: { base: "usual", turned: [] },
    flames: {},
    range: null,
    slice: null,
    area: null,
    panel: "details",
    search: { text: "", isRegex: false },
    closed: [],
    compare: defaultProfileDiffView(),
    memory: defaultMemoryView(),
    steps: defaultStepsView(),
    rankMetric: "own",
    linkKind: "",
    further: "",
    furtherRow: null,
    stream: null,
    kernelWait: USUAL_KERNEL_WAIT,
    orders: {},
  };
}

export function describeProfiles(view: ProfileView, query: URLSearchParams): void {
  const usual = defaultProfileView();
  if (view.chosen) query.append("profile", JSON.stringify([view.chosen.run, view.chosen.profile]));
  if (view.tab !== usual.tab) query.append("profile_tab", view.tab);
  describeRows(view.rows, query);
  describeLayout(view.columns, query, COLUMNS);
  describeModules(view.modules, query);
  describeFlames(view.flames, query);
  if (view.range) query.append("timeline", view.range.map(Math.round).join("~"));
  if (view.slice !== null) query.append("timeline_slice", String(view.slice));
  if (view.area) {
    const { begin, end, tracks } = view.area;
    query.append("timeline_area", [Math.round(begin), Math.round(end), ...(tracks === null ? [] : [tracks.join(".")])].join("~"));
  }
  if (view.panel !== usual.panel) query.append("timeline_panel", view.panel);
  if (view.search.text !== "") query.append(view.search.isRegex ? "timeline_regex" : "timeline_search", view.search.text);
  for (const key of view.closed) query.append("timeline_closed", key);
  describeProfileDiff(view.compare, query);
  describeMemory(view.memory, query);
  describeSteps(view.steps, query);
  if (view.rankMetric !== usual.rankMetric) query.append("rank_metric", view.rankMetric);
  if (view.linkKind !== usual.linkKind) query.append("link_kind", view.linkKind);
  if (view.further !== usual.further) query.append("further_table", view.further);
  if (view.furtherRow !== null) query.append("further_row", String(view.furtherRow));
  if (view.stream !== null) query.append("profile_stream", view.stream);
  if (view.kernelWait !== usual.kernelWait) query.append("kernel_wait", String(view.kernelWait));
  describeOrders(view.orders, query);
}

/** Never fails: what a link says wrongly is as if it said nothing. */
export function profileViewOf(query: URLSearchParams): ProfileView {
  const usual = defaultProfileView();
  const regex = query.get("timeline_regex");
  return {
    chosen: keyOf(query.get("profile")),
    tab: PROFILE_TABS.find((tab) => tab === query.get("profile_tab")) ?? usual.tab,
    rows: rowsViewOf(query),
    columns: layoutOf(query, COLUMNS),
    modules: modulesViewOf(query),
    flames: flameRootsOf(query),
    range: rangeOf((query.get("timeline") ?? "").split("~")),
    slice: placeOf(query.get("timeline_slice")),
    area: areaOf(query.get("timeline_area")),
    panel: TIMELINE_PANELS.find((panel) => panel === query.get("timeline_panel")) ?? usual.panel,
    search: regex === null ? { text: query.get("timeline_search") ?? "", isRegex: false } : { text: regex, isRegex: true },
    closed: unique(query.getAll("timeline_closed")),
    compare: profileDiffViewOf(query, keyOf(query.get("baseline_profile"))),
    memory: memoryViewOf(query),
    steps: stepsViewOf(query),
    rankMetric: query.get("rank_metric") ?? usual.rankMetric,
    linkKind: query.get("link_kind") ?? usual.linkKind,
    further: query.get("further_table") ?? usual.further,
    furtherRow: placeOf(query.get("further_row")),
    stream: query.get("profile_stream"),
    kernelWait: Math.min(MOST_KERNEL_WAIT, placeOf(query.get("kernel_wait")) ?? usual.kernelWait),
    orders: ordersOf(query),
  };
}

function placeOf(text: string | null): number | null {
  const place = wholeNumber(text);
  return place !== null && place >= 0 ? place : null;
}

function rangeOf(texts: readonly string[]): [number, number] | null {
  const [begin, end] = texts.map(wholeNumber);
  return begin != null && end != null && begin < end ? [begin, end] : null;
}

function areaOf(text: string | null): TimelineArea | null {
  const [begin = "", end = "", tracks] = (text ?? "").split("~");
  const range = rangeOf([begin, end]);
  if (!range) return null;
  const numbers = tracks?.split(".").map(wholeNumber);
  const known = numbers?.flatMap((track) => (track !== null && track >= 0 ? [track] : []));
  return { begin: range[0], end: range[1], tracks: known && known.length > 0 ? known : null };
}

function keyOf(text: string | null): ProfileKey | null {
  try {
    const [run, profile] = JSON.parse(text ?? "") as unknown[];
    return typeof run === "string" && typeof profile === "string" ? { run, profile } : null;
  } catch {
    return null;
  }
}
