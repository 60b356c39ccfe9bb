// SPDX-License-Identifier: Apache-2.0
import type { Range } from "../scales/axis";

/** Widths of the middle half of the values that a color map reaches beyond it. */
const REACH = 1.5;
/** Quartiles of fewer values say nothing about outliers. */
const FEWEST = 8;

/**
 * The range of a color map: the finite values without outliers, so that a few diverged runs don't take all colors.
 * Outliers lie beyond the quartiles by more than 1.5 times their distance (Tukey's fences); they have the colors of the ends.
 */
export function colorRange(numbers: Iterable<number>, isLog: boolean): Range | null {
  const straight = [...numbers]
    .filter((value) => Number.isFinite(value) && (!isLog || value > 0))
    .map((value) => (isLog ? Math.log(value) : value));
  if (straight.length === 0) return null;
  const sorted = Float64Array.from(straight).sort();
  const at = (share: number): number => sorted[Math.round(share * (sorted.length - 1))]!;
  const reach = REACH * (at(0.75) - at(0.25));
  const near =
    reach > 0 && sorted.length >= FEWEST ? sorted.filter((value) => value >= at(0.25) - reach && value <= at(0.75) + reach) : sorted;
  const ends: Range = [near[0]!, near[near.length - 1]!];
  return isLog ? [Math.exp(ends[0]), Math.exp(ends[1])] : ends;
}
