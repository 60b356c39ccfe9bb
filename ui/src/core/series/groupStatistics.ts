// SPDX-License-Identifier: Apache-2.0
import type { Floats } from "./series";
import { LINE, type Band, type Curve } from "./curve";
import type { Reason } from "../text/reason";

/** Statistics of several runs at each x, as the server reduced them. */
export interface Group {
  key: string;
  /** Tag or formula of a chart of several; "" in a chart of one. */
  part: string;
  error: Reason | null;
  /** Runs that have points, and those that have none. */
  runs: number;
  missing: readonly string[];
  problem: Reason | null;
  points: number;
  returned: number;
  reduced: boolean;
  /** Straight lines give the values of runs that have no point at an x of another run. */
  interpolated: boolean;
  x: Float64Array;
  /** Runs with a finite value at each x. */
  count: Floats;
  mean: Floats;
  median: Floats;
  low: Floats;
  high: Floats;
  deviation: Floats;
  lowerQuartile: Floats;
  upperQuartile: Floats;
  /** Of the mean; NaN for a single run. */
  standardError: Floats;
  /** Half the width of the 95 % confidence interval of the mean; NaN for a single run. */
  confidence: Floats;
}

export type Center = "mean" | "median";
export type Spread = "range" | "quartiles" | "deviation" | "error" | "confidence" | "none";

export const CENTERS: readonly Center[] = ["mean", "median"];
export const SPREADS: readonly Spread[] = ["range", "quartiles", "deviation", "error", "confidence", "none"];

/** A difference to a baseline without the rows beyond the ends of the baseline, where nothing can be compared. */
export function groupWithoutEnds(group: Group): Group {
  const start = Math.max(
    0,
    group.count.findIndex((runs) => runs > 0),
  );
  const end = group.count.findLastIndex((runs) => runs > 0) + 1;
  if (start === 0 && end === group.count.length) return group;
  const cut = (column: Floats): Floats => column.subarray(start, end);
  return {
    ...group,
    points: group.points - (group.count.length - (end - start)),
    x: group.x.subarray(start, end),
    count: cut(group.count),
    mean: cut(group.mean),
    median: cut(group.median),
    low: cut(group.low),
    high: cut(group.high),
    deviation: cut(group.deviation),
    lowerQuartile: cut(group.lowerQuartile),
    upperQuartile: cut(group.upperQuartile),
    standardError: cut(group.standardError),
    confidence: cut(group.confidence),
  };
}

/** The line of a group: its center, with its spread as a band. */
export function groupCurve(group: Group, look: Partial<Curve> & Pick<Curve, "color" | "dash">, center: Center, spread: Spread): Curve {
  return {
    ...LINE,
    key: group.key,
    label: group.key,
    ...look,
    x: group.x,
    raw: group[center],
    smoothed: null,
    isAscending: true,
    band: bandOf(group, center, spread),
  };
}

/** NaN where a single run has no deviation. Errors are those of the mean, so their band lies around it for every center. */
export function bandOf(group: Group, center: Center, spread: Spread): Band | null {
  if (spread === "none") return null;
  if (spread === "range") return { low: group.low, high: group.high };
  if (spread === "quartiles") return { low: group.lowerQuartile, high: group.upperQuartile };
  if (spread === "deviation") return bandAround(group[center], group.deviation);
  return bandAround(group.mean, spread === "error" ? group.standardError : group.confidence);
}

function bandAround(middle: Floats, half: Floats): Band {
  return { low: middle.map((value, row) => value - half[row]!), high: middle.map((value, row) => value + half[row]!) };
}
