// SPDX-License-Identifier: Apache-2.0
import type { InclusionSet } from "./inclusionSet";
import { describeOverrides, overridesOf, type OverridesByChart } from "./chartSettings";
import { unique, wholeNumber } from "./queryValues";
import { TOP_BY, type TopBy } from "../series/topCurves";

/** How smoothing looks back: by the weight of the slider, a half-life on an axis, or the median of some points. */
export type Smoother = "weight" | "half_life_steps" | "half_life_seconds" | "median";

export const SMOOTHERS: readonly Smoother[] = ["weight", "half_life_steps", "half_life_seconds", "median"];

/** Settings of the scalar charts; all of them are in the URL. */
export interface ScalarView {
  isLogX: boolean;
  /** Tag whose values are the x-axis; null for steps or time. */
  xTag: string | null;
  smoother: Smoother;
  /** Half-life in its unit, or number of points of the median. The weight is kept elsewhere. */
  reach: number;
  /** Raw values of a smoothed curve: as a faint line, an area, or an area where they are dense. */
  rawAs: RawAs;
  /** Null ignores them where a curve would else be flat. */
  ignoresOutliers: boolean | null;
  /** What single charts show otherwise. */
  own: OverridesByChart;
  /** Points too that a restart or a later point of the same step hides. */
  showsHidden: boolean;
  /** A zoom along the horizontal axis and the cursor go for all charts. */
  isLinked: boolean;
  /** Every run begins at 0. */
  alignsStarts: boolean;
  /** How far runs are moved along the axis, in its unit. */
  offsets: Readonly<Record<string, number>>;
  /** Tags chosen one by one; null shows all that match the filter. */
  tags: InclusionSet | null;
  /** Step that the full chart points at, where an alert led there; null for none. */
  markedStep: number | null;
  /** Which curves of a chart of many are lines of their own, and how many. */
  topBy: TopBy;
  topCount: number;
  /** Runs that stay highlighted. */
  focus: readonly string[];
  /** Charts that a person composed: each a list of tags, or of formulas that begin with "=". */
  composed: readonly (readonly string[])[];
}

export type RawAs = "auto" | "line" | "band";

export const RAW_AS: readonly RawAs[] = ["auto", "line", "band"];
export const DEFAULT_REACH = 10;
const DEFAULT_TOP = 10;
export const MOST_TOP = 30;

export function defaultScalarView(): ScalarView {
  return {
    isLogX: false,
    xTag: null,
    smoother: "weight",
    reach: DEFAULT_REACH,
    rawAs: "auto",
    ignoresOutliers: null,
    own: new Map(),
    showsHidden: false,
    isLinked: true,
    alignsStarts: false,
    offsets: {},
    tags: null,
    markedStep: null,
    topBy: "auto",
    topCount: DEFAULT_TOP,
    focus: [],
    composed: [],
  };
}

export function describeScalars(view: ScalarView, query: URLSearchParams): void {
  if (view.isLogX) query.append("x", "log");
  if (view.xTag !== null) query.append("x_tag", view.xTag);
  if (view.smoother !== "weight") query.append(view.smoother, String(view.reach));
  if (view.rawAs !== "auto") query.append("raw", view.rawAs);
  if (view.ignoresOutliers !== null) query.append("outliers", view.ignoresOutliers ? "mark" : "keep");
  describeOverrides(view.own, query);
  if (view.showsHidden) query.append("points", "all");
  if (!view.isLinked) query.append("linked", "off");
  if (view.alignsStarts) query.append("align", "start");
  for (const [run, offset] of Object.entries(view.offsets)) query.append("offset", `${offset},${run}`);
  if (view.tags?.base === "none" && view.tags.except.length === 0) query.append("tags", "none");
  for (const tag of view.tags?.except ?? []) query.append(view.tags?.base === "all" ? "hide" : "only", tag);
  if (view.markedStep !== null) query.append("at", String(view.markedStep));
  if (view.topBy !== "auto") query.append("top_by", view.topBy);
  if (view.topCount !== DEFAULT_TOP) query.append("top", String(view.topCount));
  for (const run of view.focus) query.append("focus", run);
  for (const parts of view.composed) query.append("chart", JSON.stringify(parts));
}

/** Never fails: what a link says wrongly is as if it said nothing. */
export function scalarViewOf(query: URLSearchParams): ScalarView {
  const smoother = SMOOTHERS.find((one) => one !== "weight" && positive(query.get(one)) !== null) ?? "weight";
  return {
    isLogX: query.get("x") === "log",
    xTag: query.get("x_tag"),
    smoother,
    reach: positive(query.get(smoother)) ?? DEFAULT_REACH,
    rawAs: RAW_AS.find((one) => one === query.get("raw")) ?? "auto",
    ignoresOutliers: outliersOf(query.get("outliers")),
    own: overridesOf(query),
    showsHidden: query.get("points") === "all",
    isLinked: query.get("linked") !== "off",
    alignsStarts: query.get("align") === "start",
    offsets: offsetsOf(query.getAll("offset")),
    tags: tagChoice(query),
    markedStep: wholeNumber(query.get("at")),
    topBy: TOP_BY.find((one) => one === query.get("top_by")) ?? "auto",
    topCount: Math.min(MOST_TOP, wholeNumber(query.get("top")) ?? DEFAULT_TOP),
    focus: unique(query.getAll("focus")),
    composed: query.getAll("chart").flatMap(partsOf),
  };
}

function outliersOf(text: string | null): boolean | null {
  return text === "mark" ? true : text === "keep" ? false : null;
}

function tagChoice(query: URLSearchParams): InclusionSet | null {
  const only = unique(query.getAll("only"));
  if (only.length > 0 || query.get("tags") === "none") return { base: "none", except: only };
  const hidden = unique(query.getAll("hide"));
  return hidden.length > 0 ? { base: "all", except: hidden } : null;
}

function positive(text: string | null): number | null {
  const number = Number(text ?? NaN);
  return Number.isFinite(number) && number > 0 ? number : null;
}

function offsetsOf(texts: readonly string[]): Record<string, number> {
  const pairs = texts.flatMap((text) => {
    const comma = text.indexOf(",");
    const offset = Number(text.slice(0, comma));
    return comma > 0 && Number.isFinite(offset) && offset !== 0 ? [[text.slice(comma + 1), offset] as const] : [];
  });
  return Object.fromEntries(pairs);
}

function partsOf(text: string): string[][] {
  try {
    const parts: unknown = JSON.parse(text);
    const isParts = Array.isArray(parts) && parts.length > 0 && parts.every((part) => typeof part === "string" && part !== "");
    return isParts ? [unique(parts as string[])] : [];
  } catch {
    return [];
  }
}
