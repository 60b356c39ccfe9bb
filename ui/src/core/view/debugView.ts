// SPDX-License-Identifier: Apache-2.0
import type { ColumnSort } from "../tables/columnSort";
import type { Filter } from "../text/textFilter";
import { wholeNumber } from "./queryValues";

/** Debugging data of a run: "." for its event files, or the path of a dump. */
export interface DebugSourceKey {
  run: string;
  source: string;
}

export const DEBUG_TABS = ["statistics", "first_bad"] as const;
export type DebugTab = (typeof DEBUG_TABS)[number];
export const DEBUG_SHOWS = ["table", "heat"] as const;
export type DebugShow = (typeof DEBUG_SHOWS)[number];
export const PHASES = ["forward", "backward", "optimizer"] as const;
export type DebugPhase = (typeof PHASES)[number];
export const ROLES = ["input", "output", "parameter", "gradient"] as const;
export type DebugRole = (typeof ROLES)[number];

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
  };
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
  if (view.sort) query.append("debug_sort", `${view.sort.isDescending ? "-" : ""}${view.sort.column}`);
  if (view.row !== null) query.append("debug_row", String(view.row));
  if (view.figure !== usual.figure) query.append("debug_figure", view.figure);
}

/** Never fails: what a link says wrongly is as if it said nothing. */
export function debugViewOf(query: URLSearchParams): DebugView {
  const usual = defaultDebugView();
  const regex = query.get("debug_regex");
  const sort = /^(?<sign>-?)(?<column>[a-z_]+)$/.exec(query.get("debug_sort") ?? "")?.groups;
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
    sort: sort ? { column: sort.column!, isDescending: sort.sign === "-" } : null,
    row: natural(query.get("debug_row")),
    figure: /^[a-z_]+$/.test(figure) ? figure : usual.figure,
  };
}

function natural(text: string | null): number | null {
  const number = wholeNumber(text);
  return number !== null && number >= 0 ? number : null;
}

function keyOf(text: string | null): DebugSourceKey | null {
  try {
    const [run, source] = JSON.parse(text ?? "") as unknown[];
    return typeof run === "string" && typeof source === "string" ? { run, source } : null;
  } catch {
    return null;
  }
}
