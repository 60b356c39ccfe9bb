// SPDX-License-Identifier: Apache-2.0
/** A figure of a difference in a message: null is not known, "inf" is infinite. */
export type DifferenceFigure = number | "inf" | null;

export function figureNumber(figure: DifferenceFigure): number {
  return figure === null ? NaN : figure === "inf" ? Infinity : figure;
}

/** Pairs of elements whose distance is at most `most` floating point numbers, and more than that of the bar before. */
export interface UlpBar {
  most: number;
  count: number;
}

/** A bar for each power of two up to the farthest pair, with empty ones between. */
export function ulpBars(counts: readonly UlpBar[]): UlpBar[] {
  const farthest = Math.max(0, ...counts.map(({ most }) => most));
  const known = new Map(counts.map(({ most, count }) => [most, count]));
  const bars = [{ most: 0, count: known.get(0) ?? 0 }];
  for (let most = 1; most <= farthest; most *= 2) bars.push({ most, count: known.get(most) ?? 0 });
  return bars;
}

/** The distances of a bar, such as "5 – 8". */
export function ulpSpan(most: number, group: (value: number) => string): string {
  const least = most / 2 + 1;
  return most <= 2 ? group(most) : `${group(least)} – ${group(most)}`;
}

/** A power of two as a short text: 64, 2^20. */
export function ulpTick(most: number): string {
  return most < 1024 ? String(most) : `2^${Math.round(Math.log2(most))}`;
}

/** A figure of two tensors: how much larger the first is; null where one is not known. */
export function figureDifference(left: number | null | undefined, right: number | null | undefined): number | null {
  return left === null || left === undefined || right === null || right === undefined ? null : left - right;
}
