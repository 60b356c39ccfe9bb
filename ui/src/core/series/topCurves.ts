// SPDX-License-Identifier: Apache-2.0
import type { Curve } from "./curve";
import { dashOf, type Dash } from "./dashes";
import { finiteExtent } from "../scales/extent";

/** From this many curves on a chart names its lines at their ends, and a highlighted line fades the others. */
export const MANY_CURVES = 12;
/** From this many curves on only the top ones are lines; all together are drawn as a density. */
export const DENSE_CURVES = 30;

/** Which curves are the top ones of a dense chart. */
export type TopBy = "auto" | "lowest_last" | "highest_last" | "minimum" | "maximum";

export const TOP_BY: readonly TopBy[] = ["auto", "lowest_last", "highest_last", "minimum", "maximum"];

const LOWER_IS_BETTER = /loss|err|perplexity|ppl|mse|mae/i;

/** Default ranking of curves: a loss by its lowest last value, other tags by the highest. */
export function rankingOf(by: TopBy, title: string): Exclude<TopBy, "auto"> {
  if (by !== "auto") return by;
  return LOWER_IS_BETTER.test(title) ? "lowest_last" : "highest_last";
}

/** Labels of curves, the top one first. Curves without a finite value come last. */
export function rankedLabels(curves: readonly Curve[], by: Exclude<TopBy, "auto">): string[] {
  const first = curves.filter(({ scale }) => scale === 0);
  const ranked = first.map((curve) => ({ label: curve.label, rank: rankOf(curve, by) })).sort((one, other) => one.rank - other.rank);
  return ranked.map(({ label }) => label);
}

/** Lower ranks come first. */
function rankOf({ raw, smoothed }: Curve, by: Exclude<TopBy, "auto">): number {
  const values = smoothed ?? raw;
  const extent = finiteExtent([values]);
  if (extent === null) return Infinity;
  if (by === "minimum") return extent[0];
  if (by === "maximum") return -extent[1];
  const last = values[values.findLastIndex(Number.isFinite)]!;
  return by === "lowest_last" ? last : -last;
}

/**
 * Curves of a dense chart: all but the labeled ones are part of the density only. Few of the lines that each color has are
 * left: those that are get the simplest dashes again, unless the dashes say which part of the chart a line is.
 */
export function withDensity(curves: readonly Curve[], labels: ReadonlySet<string>): Curve[] {
  const kept = curves.filter(({ label }) => labels.has(label));
  const lines = kept.some(({ part }) => part !== "") ? kept : withDistinctDashes(kept);
  let next = 0;
  return curves.map((curve) => (labels.has(curve.label) ? lines[next++]! : { ...curve, isBehind: true }));
}

/** Curves whose dashes differ where their colors don't: those that come with the least dashes get the simplest ones. */
export function withDistinctDashes(curves: readonly Curve[]): Curve[] {
  const used = new Map<string, number>();
  const dashes = new Map<Curve, Dash>();
  for (const curve of [...curves].sort((one, other) => one.dash.length - other.dash.length)) {
    const index = used.get(curve.color) ?? 0;
    used.set(curve.color, index + 1);
    dashes.set(curve, dashOf(index));
  }
  return curves.map((curve) => ({ ...curve, dash: dashes.get(curve)! }));
}
