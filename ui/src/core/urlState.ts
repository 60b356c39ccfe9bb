// SPDX-License-Identifier: Apache-2.0
import { isAxis, type Axis } from "./axis";
import type { Filter } from "./match";
import type { Box } from "./zoom";

/** Which runs are shown: a base that is all or none of them, and the exceptions. Null: the viewer's own choice. */
export type RunChoice = { base: "all" | "none"; except: readonly string[] } | null;

/** Everything of the scalars page that a link carries to a colleague. */
export interface ViewState {
  runs: RunChoice;
  filter: Filter;
  axis: Axis;
  smoothing: number;
  isLog: boolean;
  /** Tags whose y scale differs from `isLog`. */
  flipped: readonly string[];
  pins: readonly string[];
  fullTag: string | null;
  /** Box shown in the full-screen chart. */
  zoom: Box | null;
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
    pins: [],
    fullTag: null,
    zoom: null,
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
  for (const tag of view.pins) query.append("pin", tag);
  if (view.fullTag !== null) query.append("full", view.fullTag);
  if (view.fullTag !== null && view.zoom) query.append("zoom", [...view.zoom.x, ...view.zoom.y].join(","));
  return query.toString();
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
    pins: unique(query.getAll("pin")),
    fullTag,
    zoom: fullTag === null ? null : box(query.get("zoom")),
  };
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
