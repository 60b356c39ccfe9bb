// SPDX-License-Identifier: Apache-2.0
import { isAxis, type Axis } from "../scales/axis";
import type { InclusionSet } from "./inclusionSet";
import { compareViewOf, defaultCompareView, describeCompare, type CompareView } from "./compareView";
import { dataLineageViewOf, defaultDataLineageView, describeDataLineage, type DataLineageView } from "./dataLineageView";
import { dashboardViewOf, defaultDashboardView, describeDashboard, type DashboardView } from "./dashboardView";
import { defaultGraphView, describeGraph, graphViewOf, type GraphView } from "./graphView";
import { SHAPES, type Shape } from "../series/histograms";
import type { Filter } from "../text/textFilter";
import { defaultImageView, describeImages, imageViewOf, type ImageView } from "./imageView";
import { debugViewOf, defaultDebugView, describeDebug, type DebugView } from "./debugView";
import { defaultProfileView, describeProfiles, profileViewOf, type ProfileView } from "./profileView";
import { defaultLandscapeView, describeLandscapes, landscapeViewOf, type LandscapeView } from "./landscapeView";
import { defaultLineageView, describeLineage, lineageViewOf, type LineageView } from "./lineageView";
import { unique, wholeNumber } from "./queryValues";
import { defaultRunsView, describeRuns, runsViewOf, type RunsView } from "./runsView";
import { defaultScalarView, describeScalars, scalarViewOf, type ScalarView } from "./scalarView";
import { defaultValueView, describeValues, valueViewOf, type ValueView } from "./valueView";
import { defaultTableView, describeTable, tableViewOf, type TableView } from "./tableView";
import { describeZooms, zoomsOf, type Zooms } from "./zoomQuery";

/** Which runs are shown: a base that is all or none of them, and the exceptions. Null: the viewer's own choice. */
export type RunInclusion = InclusionSet | null;

/** Everything of the pages that a link carries to a colleague. */
export interface ViewState {
  runs: RunInclusion;
  filter: Filter;
  axis: Axis;
  smoothing: number;
  isLog: boolean;
  /** Tags whose y scale differs from `isLog`. */
  flipped: readonly string[];
  fullTag: string | null;
  /** Boxes that zoomed charts show. */
  zooms: Zooms;
  /** Of linked charts the one whose zoom the others follow; null for none. */
  lead: string | null;
  /** Groups of cards are closed, except those in the list. */
  isAllClosed: boolean;
  /** Keys of the groups of cards that are closed; of those that are open, where all others are closed. */
  closed: readonly string[];
  /** Step of all images; null follows the newest. */
  step: number | null;
  shape: Shape;
  scalars: ScalarView;
  comparing: CompareView;
  list: RunsView;
  table: TableView;
  lineage: LineageView;
  dataLineage: DataLineageView;
  values: ValueView;
  pictures: ImageView;
  dashboard: DashboardView;
  graphs: GraphView;
  landscapes: LandscapeView;
  profiles: ProfileView;
  debug: DebugView;
  /** Parameters of the page Logs, which reads and writes them. */
  logs: readonly (readonly [string, string])[];
}

export const SMOOTHING_LIMIT = 0.999;

export function defaultView(): ViewState {
  return {
    runs: null,
    filter: { text: "", isRegex: false },
    axis: "step",
    smoothing: 0,
    isLog: false,
    flipped: [],
    fullTag: null,
    zooms: new Map(),
    lead: null,
    isAllClosed: false,
    closed: [],
    step: null,
    shape: "ridge",
    scalars: defaultScalarView(),
    comparing: defaultCompareView(),
    list: defaultRunsView(),
    table: defaultTableView(),
    lineage: defaultLineageView(),
    dataLineage: defaultDataLineageView(),
    values: defaultValueView(),
    pictures: defaultImageView(),
    dashboard: defaultDashboardView(),
    graphs: defaultGraphView(),
    landscapes: defaultLandscapeView(),
    profiles: defaultProfileView(),
    debug: defaultDebugView(),
    logs: [],
  };
}

/** Whether the chart of a tag is logarithmic upwards. */
export function isLogTag({ isLog, flipped }: Pick<ViewState, "isLog" | "flipped">, tag: string): boolean {
  return isLog !== flipped.includes(tag);
}

export function viewToQuery(view: ViewState): string {
  const query = new URLSearchParams();
  if (view.runs) {
    if (view.runs.base === "all") query.append("runs", "all");
    else if (view.runs.except.length === 0) query.append("runs", "none");
    for (const run of view.runs.except) query.append(view.runs.base === "all" ? "without" : "run", run);
  }
  if (view.filter.text !== "") query.append(view.filter.isRegex ? "tag_regex" : "tag", view.filter.text);
  if (view.axis !== "step") query.append("axis", view.axis);
  if (view.smoothing !== 0) query.append("smoothing", String(view.smoothing));
  if (view.isLog) query.append("y", "log");
  for (const tag of view.flipped) query.append("flip", tag);
  if (view.fullTag !== null) query.append("full", view.fullTag);
  describeZooms(view.zooms, view.fullTag, query);
  if (view.lead !== null) query.append("lead", view.lead);
  if (view.isAllClosed) query.append("groups", "closed");
  for (const group of view.closed) query.append(view.isAllClosed ? "opened" : "closed", group);
  describeScalars(view.scalars, query);
  describeCompare(view.comparing, query);
  describeRuns(view.list, query);
  describeTable(view.table, query);
  describeLineage(view.lineage, query);
  describeDataLineage(view.dataLineage, query);
  describeValues(view.values, query);
  describeDashboard(view.dashboard, query);
  describeGraph(view.graphs, query);
  describeLandscapes(view.landscapes, query);
  describeProfiles(view.profiles, query);
  describeDebug(view.debug, query);
  for (const [name, value] of view.logs) query.append(name, value);
  if (view.step !== null) query.append("step", String(view.step));
  describeImages(view.pictures, query);
  if (view.shape !== "ridge") query.append("shape", view.shape);
  return query.toString();
}

/** Never fails: what a link says wrongly is as if it said nothing. */
export function queryToView(text: string): ViewState {
  const query = new URLSearchParams(text);
  const axis = query.get("axis");
  const regex = query.get("tag_regex");
  const fullTag = query.get("full");
  const isAllClosed = query.get("groups") === "closed";
  return {
    runs: runChoice(query),
    filter: { text: regex ?? query.get("tag") ?? "", isRegex: regex !== null && regex !== "" },
    axis: isAxis(axis) ? axis : "step",
    smoothing: smoothing(query.get("smoothing")),
    isLog: query.get("y") === "log",
    flipped: unique(query.getAll("flip")),
    fullTag,
    zooms: zoomsOf(query.getAll("zoom"), fullTag),
    lead: query.get("lead"),
    isAllClosed,
    closed: unique(query.getAll(isAllClosed ? "opened" : "closed")),
    step: wholeNumber(query.get("step")),
    shape: SHAPES.find((shape) => shape === query.get("shape")) ?? "ridge",
    scalars: scalarViewOf(query),
    comparing: compareViewOf(query),
    list: runsViewOf(query),
    table: tableViewOf(query),
    lineage: lineageViewOf(query),
    dataLineage: dataLineageViewOf(query),
    values: valueViewOf(query),
    pictures: imageViewOf(query),
    dashboard: dashboardViewOf(query),
    graphs: graphViewOf(query),
    landscapes: landscapeViewOf(query),
    profiles: profileViewOf(query),
    debug: debugViewOf(query),
    logs: [...query].filter(([name]) => /^log(_|$)/.test(name)),
  };
}

function runChoice(query: URLSearchParams): RunInclusion {
  const runs = unique(query.getAll("run"));
  if (query.get("runs") === "all") return { base: "all", except: unique(query.getAll("without")) };
  return runs.length > 0 || query.get("runs") === "none" ? { base: "none", except: runs } : null;
}

function smoothing(text: string | null): number {
  const weight = Number(text);
  return Number.isFinite(weight) ? Math.min(SMOOTHING_LIMIT, Math.max(0, weight)) : 0;
}
