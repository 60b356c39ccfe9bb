// SPDX-License-Identifier: Apache-2.0
import { AXES } from "../scales/axis";
import { SHAPES } from "../series/histograms";
import { COMPARE_VIEW } from "./compareView";
import { DASHBOARD_VIEW } from "./dashboardView";
import { DATA_LINEAGE_VIEW } from "./dataLineageView";
import { DEBUG_VIEW } from "./debugView";
import { EMBEDDING_VIEW } from "./embeddingView";
import { GRAPH_VIEW } from "./graphView";
import { IMAGE_VIEW } from "./imageView";
import type { InclusionSet } from "./inclusionSet";
import { LANDSCAPE_VIEW } from "./landscapeView";
import { LINEAGE_VIEW } from "./lineageView";
import { PROFILE_VIEW } from "./profileView";
import { RUNS_VIEW } from "./runsView";
import { SCALAR_VIEW } from "./scalarView";
import { fields, filter, flag, integer, list, oneOf, optional, param, text, unique, within, type Param, type ValueOf } from "./schema";
import { SQL_VIEW } from "./sqlView";
import { TABLE_VIEW } from "./tableView";
import { VALUE_VIEW } from "./valueView";
import { ZOOMS } from "./zoomQuery";

export const SMOOTHING_LIMIT = 0.999;

/** Which runs are shown: a base that is all or none of them, and the exceptions. Null: the viewer's own choice. */
export type RunInclusion = InclusionSet | null;

const RUNS: Param<RunInclusion> = {
  defaultValue: null,
  read: (query) => {
    const runs = unique(query.getAll("run"));
    if (query.get("runs") === "all") return { base: "all", except: unique(query.getAll("without")) };
    return runs.length > 0 || query.get("runs") === "none" ? { base: "none", except: runs } : null;
  },
  write: (runs, query) => {
    if (runs?.base === "all") query.append("runs", "all");
    else if (runs?.except.length === 0) query.append("runs", "none");
    for (const run of runs?.except ?? []) query.append(runs?.base === "all" ? "without" : "run", run);
  },
};

const isAllClosed = flag("groups", "closed");
const groups = (query: URLSearchParams): Param<readonly string[]> => list(isAllClosed.read(query) ? "opened" : "closed", text);
const CLOSED: Param<readonly string[]> = {
  defaultValue: [],
  read: (query) => groups(query).read(query),
  write: (keys, query) => groups(query).write(keys, query),
};

/** Parameters of the page Logs, which reads and writes them. */
const LOGS: Param<readonly (readonly [string, string])[]> = {
  defaultValue: [],
  read: (query) => [...query].filter(([name]) => /^log(_|$)/.test(name)),
  write: (pairs, query) => pairs.forEach(([name, value]) => query.append(name, value)),
};

/** Everything of the pages that a link carries to a colleague. */
const VIEW = fields({
  runs: RUNS,
  filter: filter("tag", "tag_regex"),
  axis: param("axis", oneOf(AXES), "step"),
  smoothing: param("smoothing", within(0, SMOOTHING_LIMIT), 0),
  isLog: flag("y", "log"),
  /** Tags whose y scale differs from `isLog`. */
  flipped: list("flip", text),
  fullTag: optional("full", text),
  /** Boxes that zoomed charts show. */
  zooms: ZOOMS,
  /** Of linked charts the one whose zoom the others follow; null for none. */
  lead: optional("lead", text),
  /** Groups of cards are closed, except those in the list. */
  isAllClosed,
  /** Keys of the groups of cards that are closed; of those that are open, where all others are closed. */
  closed: CLOSED,
  scalars: SCALAR_VIEW,
  comparing: COMPARE_VIEW,
  list: RUNS_VIEW,
  table: TABLE_VIEW,
  lineage: LINEAGE_VIEW,
  dataLineage: DATA_LINEAGE_VIEW,
  values: VALUE_VIEW,
  dashboard: DASHBOARD_VIEW,
  graphs: GRAPH_VIEW,
  landscapes: LANDSCAPE_VIEW,
  embeddings: EMBEDDING_VIEW,
  profiles: PROFILE_VIEW,
  debug: DEBUG_VIEW,
  logs: LOGS,
  sql: SQL_VIEW,
  /** Id of the open report. */
  report: optional("report", text),
  /** Step of all images; null follows the newest. */
  step: optional("step", integer),
  pictures: IMAGE_VIEW,
  shape: param("shape", oneOf(SHAPES), "ridge"),
});
export type ViewState = ValueOf<typeof VIEW>;

export const DEFAULT_VIEW = VIEW.defaultValue;

/** Whether the chart of a tag is logarithmic upwards. */
export function isLogTag({ isLog, flipped }: Pick<ViewState, "isLog" | "flipped">, tag: string): boolean {
  return isLog !== flipped.includes(tag);
}

export function viewToQuery(view: ViewState): string {
  const query = new URLSearchParams();
  VIEW.write(view, query);
  return query.toString();
}

/** Never fails: what a link says wrongly is as if it said nothing. */
export function queryToView(query: string): ViewState {
  return VIEW.read(new URLSearchParams(query));
}
