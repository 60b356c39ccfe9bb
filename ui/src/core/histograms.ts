// SPDX-License-Identifier: Apache-2.0
import type { Range } from "./axis";

/** How distributions over steps are drawn. */
export type Shape = "ridge" | "front" | "heat" | "bands";

export const SHAPES: readonly Shape[] = ["ridge", "front", "heat", "bands"];

/** Histograms of one tag of one run, a row a step. Row i has the buckets `bucketStart[i]` to `bucketStart[i + 1]`. */
export interface Histograms {
  run: string;
  tag: string;
  /** Steps of the log, also those that are not here. */
  steps: number;
  unreadable: number;
  /** Why the first unreadable one could not be decoded. */
  problem: string | null;
  startWallTime: number;
  version: number;
  step: Float64Array;
  wallTime: Float64Array;
  bucketStart: Float64Array;
  minimum: Float64Array;
  maximum: Float64Array;
  sum: Float64Array;
  total: Float64Array;
  nan: Float64Array;
  positiveInfinity: Float64Array;
  negativeInfinity: Float64Array;
  left: Float64Array;
  right: Float64Array;
  count: Float64Array;
  /** Steps of the log that are not here. */
  leftOut: Float64Array;
}

/** Smallest and largest edge of a bucket that holds something; null when all are empty. */
export function bucketExtent({ left, right, count }: Histograms): Range | null {
  let [low, high] = [Infinity, -Infinity];
  for (let bucket = 0; bucket < count.length; bucket++) {
    if (!(count[bucket]! > 0)) continue;
    low = Math.min(low, left[bucket]!);
    high = Math.max(high, right[bucket]!);
  }
  if (!(low <= high) || !Number.isFinite(low) || !Number.isFinite(high)) return null;
  if (low < high) return [low, high];
  const half = low === 0 ? 0.5 : Math.abs(low) * 0.05;
  return [low - half, high + half];
}

/**
 * The counts of a row over `columns` equal columns of a range: a bucket is spread evenly over the columns it covers,
 * one of no width falls into one column. The sum is the count of the row inside of the range.
 */
export function spreadRow(histograms: Histograms, row: number, range: Range, columns: number): Float64Array {
  const { bucketStart, left, right, count } = histograms;
  const spread = new Float64Array(columns);
  const scale = columns / (range[1] - range[0]);
  for (let bucket = bucketStart[row]!; bucket < bucketStart[row + 1]!; bucket++) {
    if (count[bucket]! > 0) spreadBucket(spread, (left[bucket]! - range[0]) * scale, (right[bucket]! - range[0]) * scale, count[bucket]!);
  }
  return spread;
}

/** In columns. */
const ROUNDING = 1e-6;

function spreadBucket(spread: Float64Array, from: number, to: number, count: number): void {
  const last = spread.length - 1;
  const width = to - from;
  if (!(width > ROUNDING)) {
    const isInside = from > -ROUNDING && from < spread.length + ROUNDING;
    if (isInside) spread[Math.min(last, Math.max(0, Math.floor(from)))]! += count;
    return;
  }
  for (let column = Math.max(0, Math.floor(from)); column <= last && column < to; column++) {
    const overlap = Math.min(to, column + 1) - Math.max(from, column);
    if (overlap > 0) spread[column]! += (count * overlap) / width;
  }
}

/** Finite values of a row. */
export function finiteCount({ bucketStart, count }: Histograms, row: number): number {
  let sum = 0;
  for (let bucket = bucketStart[row]!; bucket < bucketStart[row + 1]!; bucket++) sum += count[bucket]!;
  return sum;
}

/** Values below which these shares of a row lie, straight inside of a bucket; NaN for an empty row. */
export function quantiles(histograms: Histograms, row: number, shares: readonly number[]): number[] {
  const { bucketStart, left, right, count } = histograms;
  const total = finiteCount(histograms, row);
  return shares.map((share) => {
    let before = 0;
    for (let bucket = bucketStart[row]!; bucket < bucketStart[row + 1]!; bucket++) {
      const here = count[bucket]!;
      if (here > 0 && before + here >= share * total) {
        const inside = Math.min(1, Math.max(0, (share * total - before) / here));
        return left[bucket]! + inside * (right[bucket]! - left[bucket]!);
      }
      before += here;
    }
    return NaN;
  });
}

/** The bucket of a row that holds a value, or the nearest one that holds something; -1 in an empty row. */
export function bucketAt({ bucketStart, left, right, count }: Histograms, row: number, value: number): number {
  let [best, distance] = [-1, Infinity];
  for (let bucket = bucketStart[row]!; bucket < bucketStart[row + 1]!; bucket++) {
    const isInside = value >= left[bucket]! && value < right[bucket]!;
    if (isInside) return bucket;
    const away = Math.max(left[bucket]! - value, value - right[bucket]!, 0);
    if (count[bucket]! > 0 && away < distance) [best, distance] = [bucket, away];
  }
  return best;
}

/** Values that are not finite, over all rows. */
export function oddCounts({ nan, positiveInfinity, negativeInfinity }: Histograms): { nan: number; infinite: number } {
  const sum = (column: Float64Array): number => column.reduce((total, value) => total + value, 0);
  return { nan: sum(nan), infinite: sum(positiveInfinity) + sum(negativeInfinity) };
}
