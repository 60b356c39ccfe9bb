// SPDX-License-Identifier: Apache-2.0
import { PHASES, ROLES, type DebugPhase, type DebugRole } from "../debugger/tensorRoles";
import type { ColumnSort } from "../tables/columnSort";
import type { Filter } from "../text/textFilter";
import { wholeNumber } from "./queryValues";

/** Debugging data of a run: "." for its event files, or the path of a dump. */
export interface DebugSourceKey {
  run: string;
  source: string;
}

export const DEBUG_TABS = ["statistics", "first_bad", "watchpoints", "compare", "failure"] as const;
export type DebugTab = (typeof DEBUG_TABS)[number];
export const DEBUG_SHOWS = ["table", "heat", "elements"] as const;
export type DebugShow = (typeof DEBUG_SHOWS)[number];

/** A watchpoint as a text of `mindscope debug watch`. */
export interface WatchEntry {
  text: string;
  isOn: boolean;
}

/** Before the text of a watchpoint that is off. */
const OFF = "-";
/** The most that the server evaluates together. */
export const MOST_WATCHPOINTS = 50;
export const HIT_ORDERS = ["tensor", "step"] as const;
export type HitOrder = (typeof HIT_ORDERS)[number];

/** What the page Debugger looks like; all of it is in the address. */
export interface DebugView {
  tab: DebugTab;
  /** Null for the first source of the first run that has one. */
  chosen: DebugSourceKey | null;
  /** Null for the lowest rank. */
  rank: number | null;
  /** Null follows the newest one. */
  step: number | null;
  show: DebugShow;
  filter: Filter;
  phase: DebugPhase | null;
  role: DebugRole | null;
  isNonFiniteOnly: boolean;
  /** Null for the order of execution. */
  sort: ColumnSort | null;
  /** Number of the chosen row in the order of execution. */
  row: number | null;
  /** Of heat map and curve. */
  figure: string;
  /** Null for the recommended watchpoints, all on. */
  watchpoints: readonly WatchEntry[] | null;
  /** The text of the one whose hits are listed; null for all of them. */
  watched: string | null;
  hitsBy: HitOrder;
  compare: ComparisonView;
}

/** What the tab Compare shows. */
export interface ComparisonView {
  /** The training that the chosen one is compared with; null for the first other one. */
  other: DebugSourceKey | null;
  /** Null for the step in which the trainings part. */
  step: number | null;
  /** Words in names of operators. */
  words: string;
  isDifferingOnly: boolean;
  /** Null for the order of execution. */
  sort: ColumnSort | null;
  /** Rows of the tensor whose difference is shown, in the step of both trainings. */
  pair: TensorPair | null;
  /** Tolerances of elements; null for those of the server. */
  atol: number | null;
  rtol: number | null;
}

export interface TensorPair {
  row: number;
  otherRow: number;
}

export function defaultDebugView(): DebugView {
  return {
    ...{
      tab: "statistics",
      chosen: null,
      rank: null,
      step: null,
      show: "table",
      filter: { text: "", isRegex: false },
      phase: null,
      role: null,
    },
    ...{ isNonFiniteOnly: false, sort: null, row: null, figure: "max_abs" },
    ...{ watchpoints: null, watched: null, hitsBy: "tensor" },
    compare: { other: null, step: null, words: "", isDifferingOnly: false, sort: null, pair: null, atol: null, rtol: null },
  };
}

/** The view with a tensor open in the statistics of its step, without a filter. */
export function openedTensor(view: DebugView, at: { rank: number; step: number; row: number }): DebugView {
  const { chosen, sort, figure, watchpoints, watched, hitsBy } = view;
  return { ...defaultDebugView(), chosen, sort, figure, watchpoints, watched, hitsBy, ...at };
}

/** The view with the hits of one watchpoint in the order of steps, at one of them. */
export function openedHit(
  view: DebugView,
  hit: { chosen: DebugSourceKey; text: string; isRecommended: boolean; rank: number; step: number; row: number | null },
): DebugView {
  const { text, isRecommended, ...at } = hit;
  const isListed = view.watchpoints?.some((each) => each.text === text && each.isOn) ?? isRecommended;
  const watchpoints = isListed ? view.watchpoints : isRecommended ? null : [{ text, isOn: true }];
  return { ...defaultDebugView(), tab: "watchpoints", watchpoints, watched: text, hitsBy: "step", ...at };
}

export function describeDebug(view: DebugView, query: URLSearchParams): void {
  const usual = defaultDebugView();
  if (view.tab !== usual.tab) query.append("debug_tab", view.tab);
  if (view.chosen) query.append("debug", JSON.stringify([view.chosen.run, view.chosen.source]));
  if (view.rank !== null) query.append("debug_rank", String(view.rank));
  if (view.step !== null) query.append("debug_step", String(view.step));
  if (view.show !== usual.show) query.append("debug_show", view.show);
  if (view.filter.text !== "") query.append(view.filter.isRegex ? "debug_regex" : "debug_filter", view.filter.text);
  if (view.phase) query.append("debug_phase", view.phase);
  if (view.role) query.append("debug_role", view.role);
  if (view.isNonFiniteOnly) query.append("debug_non_finite", "1");
  if (view.sort) query.append("debug_sort", sortText(view.sort));
  if (view.row !== null) query.append("debug_row", String(view.row));
  if (view.figure !== usual.figure) query.append("debug_figure", view.figure);
  for (const { text, isOn } of view.watchpoints ?? []) query.append("watchpoint", `${isOn ? "" : OFF}${text}`);
  if (view.watchpoints?.length === 0) query.append("watchpoint", "");
  if (view.watched !== null) query.append("watched", view.watched);
  if (view.hitsBy !== usual.hitsBy) query.append("hits", view.hitsBy);
  const { other, step, words, isDifferingOnly, sort, pair, atol, rtol } = view.compare;
  if (other) query.append("debug_other", JSON.stringify([other.run, other.source]));
  if (step !== null) query.append("debug_other_step", String(step));
  if (words !== "") query.append("debug_other_filter", words);
  if (isDifferingOnly) query.append("debug_other_differing", "1");
  if (sort) query.append("debug_other_sort", sortText(sort));
  if (pair) query.append("debug_pair", `${pair.row},${pair.otherRow}`);
  if (atol !== null) query.append("debug_atol", String(atol));
  if (rtol !== null) query.append("debug_rtol", String(rtol));
}

/** Never fails: what a link says wrongly is as if it said nothing. */
export function debugViewOf(query: URLSearchParams): DebugView {
  const usual = defaultDebugView();
  const regex = query.get("debug_regex");
  const figure = query.get("debug_figure") ?? "";
  return {
    tab: DEBUG_TABS.find((tab) => tab === query.get("debug_tab")) ?? usual.tab,
    chosen: keyOf(query.get("debug")),
    rank: natural(query.get("debug_rank")),
    step: wholeNumber(query.get("debug_step")),
    show: DEBUG_SHOWS.find((show) => show === query.get("debug_show")) ?? usual.show,
    filter: regex === null ? { text: query.get("debug_filter") ?? "", isRegex: false } : { text: regex, isRegex: true },
    phase: PHASES.find((phase) => phase === query.get("debug_phase")) ?? null,
    role: ROLES.find((role) => role === query.get("debug_role")) ?? null,
    isNonFiniteOnly: query.get("debug_non_finite") === "1",
    sort: sortOf(query.get("debug_sort")),
    row: natural(query.get("debug_row")),
    figure: /^[a-z_]+$/.test(figure) ? figure : usual.figure,
    watchpoints: watchpointsOf(query.getAll("watchpoint")),
    watched: query.get("watched"),
    hitsBy: HIT_ORDERS.find((order) => order === query.get("hits")) ?? usual.hitsBy,
    compare: {
      other: keyOf(query.get("debug_other")),
      step: wholeNumber(query.get("debug_other_step")),
      words: query.get("debug_other_filter") ?? "",
      isDifferingOnly: query.get("debug_other_differing") === "1",
      sort: sortOf(query.get("debug_other_sort")),
      pair: pairOf(query.get("debug_pair")),
      atol: tolerance(query.get("debug_atol")),
      rtol: tolerance(query.get("debug_rtol")),
    },
  };
}

function sortText({ column, isDescending }: ColumnSort): string {
  return `${isDescending ? "-" : ""}${column}`;
}

function sortOf(text: string | null): ColumnSort | null {
  const sort = /^(?<sign>-?)(?<column>[a-z_]+)$/.exec(text ?? "")?.groups;
  return sort ? { column: sort.column!, isDescending: sort.sign === "-" } : null;
}

function watchpointsOf(texts: readonly string[]): WatchEntry[] | null {
  if (texts.length === 0) return null;
  return texts
    .filter((text) => text.replace(OFF, "") !== "")
    .slice(0, MOST_WATCHPOINTS)
    .map((text) => (text.startsWith(OFF) ? { text: text.slice(OFF.length), isOn: false } : { text, isOn: true }));
}

function natural(text: string | null): number | null {
  const number = wholeNumber(text);
  return number !== null && number >= 0 ? number : null;
}

function pairOf(text: string | null): TensorPair | null {
  const [row, otherRow, ...rest] = (text ?? "").split(",").map(natural);
  return rest.length === 0 && typeof row === "number" && typeof otherRow === "number" ? { row, otherRow } : null;
}

function tolerance(text: string | null): number | null {
  const number = Number(text ?? "");
  return text !== null && text.trim() !== "" && Number.isFinite(number) && number >= 0 ? number : null;
}

function keyOf(text: string | null): DebugSourceKey | null {
  try {
    const [run, source] = JSON.parse(text ?? "") as unknown[];
    return typeof run === "string" && typeof source === "string" ? { run, source } : null;
  } catch {
    return null;
  }
}
