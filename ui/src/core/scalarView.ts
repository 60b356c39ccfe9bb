// SPDX-License-Identifier: Apache-2.0
import type { Choice } from "./choice";
import { unique, wholeNumber } from "./queryText";

/** How smoothing looks back: by the weight of the slider, a half-life on an axis, or the median of some points. */
export type Smoother = "weight" | "half_life_steps" | "half_life_seconds" | "median";

export const SMOOTHERS: readonly Smoother[] = ["weight", "half_life_steps", "half_life_seconds", "median"];

/** What the charts of scalars look like beyond what all pages share; all of it stands in the address. */
export interface ScalarView {
  isLogX: boolean;
  /** Tag whose values stand on the horizontal axis; null for steps or time. */
  xTag: string | null;
  smoother: Smoother;
  /** Half-life in its unit, or number of points of the median. The weight is kept elsewhere. */
  reach: number;
  /** Raw values behind a smoothed curve as an area rather than as a faint line. */
  showsBand: boolean;
  ignoresOutliers: boolean;
  /** Every run begins at 0. */
  alignsStarts: boolean;
  /** How far runs are moved along the axis, in its unit. */
  offsets: Readonly<Record<string, number>>;
  /** Tags chosen one by one; null shows all that match the filter. */
  tags: Choice | null;
  /** Step that the full chart points at, where an alert led there; null for none. */
  markedStep: number | null;
  /** Charts that a person composed: each a list of tags, or of formulas that begin with "=". */
  composed: readonly (readonly string[])[];
}

export const DEFAULT_REACH = 10;

export function defaultScalarView(): ScalarView {
  return {
    isLogX: false,
    xTag: null,
    smoother: "weight",
    reach: DEFAULT_REACH,
    showsBand: false,
    ignoresOutliers: false,
    alignsStarts: false,
    offsets: {},
    tags: null,
    markedStep: null,
    composed: [],
  };
}

export function describeScalars(view: ScalarView, query: URLSearchParams): void {
  if (view.isLogX) query.append("x", "log");
  if (view.xTag !== null) query.append("x_tag", view.xTag);
  if (view.smoother !== "weight") query.append(view.smoother, String(view.reach));
  if (view.showsBand) query.append("raw", "band");
  if (view.ignoresOutliers) query.append("outliers", "mark");
  if (view.alignsStarts) query.append("align", "start");
  for (const [run, offset] of Object.entries(view.offsets)) query.append("offset", `${offset},${run}`);
  if (view.tags?.base === "none" && view.tags.except.length === 0) query.append("tags", "none");
  for (const tag of view.tags?.except ?? []) query.append(view.tags?.base === "all" ? "hide" : "only", tag);
  if (view.markedStep !== null) query.append("at", String(view.markedStep));
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
    showsBand: query.get("raw") === "band",
    ignoresOutliers: query.get("outliers") === "mark",
    alignsStarts: query.get("align") === "start",
    offsets: offsetsOf(query.getAll("offset")),
    tags: tagChoice(query),
    markedStep: wholeNumber(query.get("at")),
    composed: query.getAll("chart").flatMap(partsOf),
  };
}

function tagChoice(query: URLSearchParams): Choice | null {
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
