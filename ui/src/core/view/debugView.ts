// SPDX-License-Identifier: Apache-2.0
import { PHASES, ROLES } from "../debugger/tensorRoles";
import {
  columnSort,
  fields,
  filter,
  flag,
  integer,
  natural,
  oneOf,
  optional,
  pairOf,
  param,
  text,
  type Codec,
  type Param,
  type ValueOf,
} from "./schema";

/** Debugging data of a run: "." for its event files, or the path of a dump. */
export interface DebugSourceKey {
  run: string;
  source: string;
}

export const DEBUG_TABS = ["findings", "statistics", "compare"] as const;
export type DebugTab = (typeof DEBUG_TABS)[number];
/** Parts of the findings that an address can lead to. */
export const FINDING_PARTS = ["first_bad", "hits", "failure"] as const;
export type FindingPart = (typeof FINDING_PARTS)[number];
/** Tabs of before that are parts of the findings. */
const OLD_TABS: Readonly<Record<string, FindingPart>> = { first_bad: "first_bad", watchpoints: "hits", failure: "failure" };
export const DEBUG_SHOWS = ["table", "heat", "elements"] as const;

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

export interface TensorPair {
  row: number;
  otherRow: number;
}

const SOURCE: Codec<DebugSourceKey> = pairOf("run", "source");
const FIGURE: Codec<string> = { read: (name) => (/^[a-z_]+$/.test(name) ? name : null), write: (name) => name };

const PAIR: Codec<TensorPair> = {
  read: (rows) => {
    const [row, otherRow, ...rest] = rows.split(",").map((number) => natural.read(number));
    return rest.length === 0 && typeof row === "number" && typeof otherRow === "number" ? { row, otherRow } : null;
  },
  write: ({ row, otherRow }) => `${row},${otherRow}`,
};

const TOLERANCE: Codec<number> = {
  read: (number) => {
    const value = Number(number);
    return number.trim() !== "" && Number.isFinite(value) && value >= 0 ? value : null;
  },
  write: String,
};

const WATCHPOINTS: Param<readonly WatchEntry[] | null> = {
  defaultValue: null,
  read: (query) => {
    if (!query.has("watchpoint")) return null;
    return query
      .getAll("watchpoint")
      .filter((entry) => entry.replace(OFF, "") !== "")
      .slice(0, MOST_WATCHPOINTS)
      .map((entry) => (entry.startsWith(OFF) ? { text: entry.slice(OFF.length), isOn: false } : { text: entry, isOn: true }));
  },
  write: (entries, query) => {
    for (const { text, isOn } of entries ?? []) query.append("watchpoint", `${isOn ? "" : OFF}${text}`);
    if (entries?.length === 0) query.append("watchpoint", "");
  },
};

/** Parameters of the statistics, which an address with one of them opens unless it says otherwise. */
const OF_STATISTICS = ["step", "show", "filter", "regex", "phase", "role", "non_finite", "sort", "row", "figure", "rank"] as const;

/** The tab; it comes after the fields that its default depends on. */
const TAB: Param<DebugTab> = {
  defaultValue: "findings",
  read: (query) => {
    const name = query.get("debug_tab") ?? "";
    return oneOf(DEBUG_TABS).read(name) ?? (name in OLD_TABS ? "findings" : usualTab(query));
  },
  write: (tab, query) => {
    if (tab !== usualTab(query)) query.append("debug_tab", tab);
  },
};

function usualTab(query: URLSearchParams): DebugTab {
  return OF_STATISTICS.some((name) => query.has(`debug_${name}`)) ? "statistics" : "findings";
}

const PART: Param<FindingPart | null> = {
  ...optional("debug_part", oneOf(FINDING_PARTS)),
  read: (query) => optional("debug_part", oneOf(FINDING_PARTS)).read(query) ?? OLD_TABS[query.get("debug_tab") ?? ""] ?? null,
};

/** What the tab Compare shows. */
const COMPARISON_VIEW = fields({
  /** The training that the chosen one is compared with; null for the first other one. */
  other: optional("debug_other", SOURCE),
  /** Null for the step in which the trainings part. */
  step: optional("debug_other_step", integer),
  /** Words in names of operators. */
  words: param("debug_other_filter", text, ""),
  isDifferingOnly: flag("debug_other_differing", "1"),
  /** Null for the order of execution. */
  sort: optional("debug_other_sort", columnSort),
  /** Rows of the tensor whose difference is shown, in the step of both trainings. */
  pair: optional("debug_pair", PAIR),
  /** Tolerances of elements; null for those of the server. */
  atol: optional("debug_atol", TOLERANCE),
  rtol: optional("debug_rtol", TOLERANCE),
});

/** What the page Debugger looks like. */
export const DEBUG_VIEW = fields({
  /** Null for the first source of the first run that has one. */
  chosen: optional("debug", SOURCE),
  /** Null for the lowest rank. */
  rank: optional("debug_rank", natural),
  /** Null follows the newest one. */
  step: optional("debug_step", integer),
  show: param("debug_show", oneOf(DEBUG_SHOWS), "table"),
  filter: filter("debug_filter", "debug_regex"),
  phase: optional("debug_phase", oneOf(PHASES)),
  role: optional("debug_role", oneOf(ROLES)),
  isNonFiniteOnly: flag("debug_non_finite", "1"),
  /** Null for the order of execution. */
  sort: optional("debug_sort", columnSort),
  /** Number of the chosen row in the order of execution. */
  row: optional("debug_row", natural),
  /** Of heat map and curve. */
  figure: param("debug_figure", FIGURE, "max_abs"),
  /** Null for the recommended watchpoints, all on. */
  watchpoints: WATCHPOINTS,
  /** The text of the one whose hits are listed; null for all of them. */
  watched: optional("watched", text),
  hitsBy: param("hits", oneOf(HIT_ORDERS), "tensor"),
  compare: COMPARISON_VIEW,
  tab: TAB,
  /** Where the findings begin; null for their top. */
  part: PART,
});
export type DebugView = ValueOf<typeof DEBUG_VIEW>;

/** The view with a tensor open in the statistics of its step, without a filter. */
export function openedTensor(view: DebugView, at: { rank: number; step: number; row: number }): DebugView {
  const { chosen, sort, figure, watchpoints, watched, hitsBy } = view;
  return { ...DEBUG_VIEW.defaultValue, tab: "statistics", chosen, sort, figure, watchpoints, watched, hitsBy, ...at };
}

/** The view with the hits of one watchpoint in the order of steps, at one of them. */
export function openedHit(
  view: DebugView,
  hit: { chosen: DebugSourceKey; text: string; isRecommended: boolean; rank: number; step: number; row: number | null },
): DebugView {
  const { text, isRecommended, ...at } = hit;
  const isListed = view.watchpoints?.some((each) => each.text === text && each.isOn) ?? isRecommended;
  const watchpoints = isListed ? view.watchpoints : isRecommended ? null : [{ text, isOn: true }];
  return { ...DEBUG_VIEW.defaultValue, part: "hits", watchpoints, watched: text, hitsBy: "step", ...at };
}

/** The address of why a run failed, of this run alone. */
export function findingsAddress(run: string): string {
  const query = new URLSearchParams({ run });
  DEBUG_VIEW.write({ ...DEBUG_VIEW.defaultValue, chosen: { run, source: "." } }, query);
  return `/debugger?${query}`;
}
