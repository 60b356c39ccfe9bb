// SPDX-License-Identifier: Apache-2.0
import type { Floats } from "./series";
import { LINE, type Band, type Curve } from "./curve";
import type { Reason } from "../text/reason";

/** Statistics of several runs at each x, as the server reduced them. */
export interface Group {
  key: string;
  error: Reason | null;
  /** Runs that have points, and those that have none. */
  runs: number;
  missing: readonly string[];
  problem: Reason | null;
  points: number;
  returned: number;
  reduced: boolean;
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
}

export type Center = "mean" | "median";
export type Spread = "range" | "quartiles" | "deviation" | "none";

export const CENTERS: readonly Center[] = ["mean", "median"];
export const SPREADS: readonly Spread[] = ["range", "quartiles", "deviation", "none"];

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
  };
}

/** The line of a group: its center, with its spread as a band. */
export function groupCurve(group: Group, look: { label: string; color: string }, center: Center, spread: Spread): Curve {
  return {
    ...LINE,
    ...look,
    key: group.key,
    x: group.x,
    raw: group[center],
    smoothed: null,
    isAscending: true,
    band: bandOf(group, center, spread),
  };
}

export function bandOf(group: Group, center: Center, spread: Spread): Band | null {
  if (spread === "none") return null;
  if (spread === "range") return { low: group.low, high: group.high };
  if (spread === "quartiles") return { low: group.lowerQuartile, high: group.upperQuartile };
  const middle = group[center];
  const away = (sign: number): Floats =>
    middle.map((value, row) => value + sign * (Number.isNaN(group.deviation[row]) ? 0 : group.deviation[row]!));
  return { low: away(-1), high: away(1) };
}
