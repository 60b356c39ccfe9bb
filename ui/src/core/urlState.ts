// SPDX-License-Identifier: Apache-2.0
import { isAxis, type Axis } from "./axis";
import type { Choice } from "./choice";
import { compareViewOf, defaultCompareView, describeCompare, type CompareView } from "./compareView";
import { COMPARISONS, type Comparison } from "./comparison";
import { dashboardViewOf, defaultDashboardView, describeDashboard, type DashboardView } from "./dashboardView";
import { SHAPES, type Shape } from "./histograms";
import type { Filter } from "./match";
import { defaultRunsView, describeRuns, runsViewOf, type RunsView } from "./runsView";
import { defaultScalarView, describeScalars, scalarViewOf, type ScalarView } from "./scalarView";
import { defaultValueView, describeValues, valueViewOf, type ValueView } from "./valueView";
import type { Box } from "./zoom";

/** Which runs are shown: a base that is all or none of them, and the exceptions. Null: the viewer's own choice. */
export type RunChoice = Choice | null;

/** Everything of the pages that a link carries to a colleague. */
export interface ViewState {
  runs: RunChoice;
  filter: Filter;
  axis: Axis;
  smoothing: number;
  isLog: boolean;
  /** Tags whose y scale differs from `isLog`. */
  flipped: readonly string[];
  fullTag: string | null;
  /** Box shown in the full-screen chart. */
  zoom: Box | null;
  /** Step of all images; null follows the newest. */
  step: number | null;
  /** Picture of a value that holds several, in full screen. */
  picture: number;
  /** Factors, 1 leaves the pictures as they are. */
  brightness: number;
  contrast: number;
  /** Pictures pixel by pixel rather than as large as the card. */
  isOriginal: boolean;
  /** A second step, or another run at the same step, beside the first in full screen; null shows one. */
  comparison: { by: Comparison; step: number } | { by: Comparison; run: string } | null;
  shape: Shape;
  scalars: ScalarView;
  comparing: CompareView;
  list: RunsView;
  values: ValueView;
  dashboard: DashboardView;
}

export const FACTOR_LIMIT = 3;

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
    zoom: null,
    step: null,
    picture: 0,
    brightness: 1,
    contrast: 1,
    isOriginal: false,
    comparison: null,
    shape: "ridge",
    scalars: defaultScalarView(),
    comparing: defaultCompareView(),
    list: defaultRunsView(),
    values: defaultValueView(),
    dashboard: defaultDashboardView(),
  };
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
  if (view.fullTag !== null && view.zoom) query.append("zoom", [...view.zoom.x, ...view.zoom.y].join(","));
  describeScalars(view.scalars, query);
  describeCompare(view.comparing, query);
  describeRuns(view.list, query);
  describeValues(view.values, query);
  describeDashboard(view.dashboard, query);
  describeImages(view, query);
  if (view.shape !== "ridge") query.append("shape", view.shape);
  return query.toString();
}

function describeImages(view: ViewState, query: URLSearchParams): void {
  if (view.step !== null) query.append("step", String(view.step));
  if (view.picture !== 0) query.append("picture", String(view.picture));
  if (view.brightness !== 1) query.append("brightness", String(view.brightness));
  if (view.contrast !== 1) query.append("contrast", String(view.contrast));
  if (view.isOriginal) query.append("size", "original");
  if (!view.comparison) return;
  const { by } = view.comparison;
  if ("step" in view.comparison) query.append(by, String(view.comparison.step));
  else query.append(`${by}_run`, view.comparison.run);
}

/** Never fails: what a link says wrongly is as if it said nothing. */
export function queryToView(text: string): ViewState {
  const query = new URLSearchParams(text);
  const axis = query.get("axis");
  const regex = query.get("tag_regex");
  const fullTag = query.get("full");
  return {
    runs: runChoice(query),
    filter: { text: regex ?? query.get("tag") ?? "", isRegex: regex !== null && regex !== "" },
    axis: isAxis(axis) ? axis : "step",
    smoothing: smoothing(query.get("smoothing")),
    isLog: query.get("y") === "log",
    flipped: unique(query.getAll("flip")),
    fullTag,
    zoom: fullTag === null ? null : box(query.get("zoom")),
    step: wholeNumber(query.get("step")),
    picture: Math.max(0, wholeNumber(query.get("picture")) ?? 0),
    brightness: factor(query.get("brightness")),
    contrast: factor(query.get("contrast")),
    isOriginal: query.get("size") === "original",
    comparison: comparison(query),
    shape: SHAPES.find((shape) => shape === query.get("shape")) ?? "ridge",
    scalars: scalarViewOf(query),
    comparing: compareViewOf(query),
    list: runsViewOf(query),
    values: valueViewOf(query),
    dashboard: dashboardViewOf(query),
  };
}

function wholeNumber(text: string | null): number | null {
  return text !== null && /^-?\d{1,15}$/.test(text) ? Number(text) + 0 : null;
}

function factor(text: string | null): number {
  const number = Number(text ?? 1);
  return Number.isFinite(number) ? Math.min(FACTOR_LIMIT, Math.max(0, number)) : 1;
}

function comparison(query: URLSearchParams): ViewState["comparison"] {
  for (const by of COMPARISONS) {
    const step = wholeNumber(query.get(by));
    if (step !== null) return { by, step };
    const run = query.get(`${by}_run`);
    if (run !== null) return { by, run };
  }
  return null;
}

function runChoice(query: URLSearchParams): RunChoice {
  const runs = unique(query.getAll("run"));
  if (query.get("runs") === "all") return { base: "all", except: unique(query.getAll("without")) };
  return runs.length > 0 || query.get("runs") === "none" ? { base: "none", except: runs } : null;
}

function smoothing(text: string | null): number {
  const weight = Number(text);
  return Number.isFinite(weight) ? Math.min(SMOOTHING_LIMIT, Math.max(0, weight)) : 0;
}

function box(text: string | null): Box | null {
  const numbers = (text ?? "").split(",").map(Number);
  const [left, right, bottom, top] = numbers;
  if (numbers.length !== 4 || !numbers.every(Number.isFinite) || left! >= right! || bottom! >= top!) return null;
  return { x: [left!, right!], y: [bottom!, top!] };
}

function unique(texts: readonly string[]): string[] {
  return [...new Set(texts)];
}
