// SPDX-License-Identifier: Apache-2.0
import type { Flat, Message } from "../messages/message";
import type { Floats } from "./series";
import { LINE, type Band, type Curve } from "./curve";

/** Statistics of several runs at each x, as the server reduced them. */
/** `part` is the tag or formula of a chart of several; "" in a chart of one. */
export type Group = Flat<Message<"GroupLine">> & { part: string };

export const STATISTICS = [
  "count",
  "mean",
  "median",
  "low",
  "high",
  "deviation",
  "lower_quartile",
  "upper_quartile",
  "standard_error",
  "confidence",
] as const;

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
  return {
    ...group,
    points: group.points - (group.count.length - (end - start)),
    ...Object.fromEntries((["x", ...STATISTICS] as const).map((name) => [name, group[name].subarray(start, end)])),
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
  if (spread === "quartiles") return { low: group.lower_quartile, high: group.upper_quartile };
  if (spread === "deviation") return bandAround(group[center], group.deviation);
  return bandAround(group.mean, spread === "error" ? group.standard_error : group.confidence);
}

function bandAround(middle: Floats, half: Floats): Band {
  return { low: middle.map((value, row) => value - half[row]!), high: middle.map((value, row) => value + half[row]!) };
}
