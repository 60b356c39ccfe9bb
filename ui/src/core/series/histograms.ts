// SPDX-License-Identifier: Apache-2.0
import type { Flat, Message } from "../messages/message";
import type { Range } from "../scales/axis";

/** How histograms over steps are drawn; `both` is the ridge beside the heat map. */
export type Shape = "ridge" | "front" | "heat" | "bands" | "both";

export const SHAPES: readonly Shape[] = ["ridge", "front", "heat", "bands", "both"];

/** Histograms of one tag of one run. Row i has the buckets `bucket_start[i]` to `bucket_start[i + 1]`. */
export type Histograms = Flat<Message<"HistogramSeries">>;

const OF_ROWS = [
  "step",
  "last_step",
  "wall_time",
  "last_wall_time",
  "merged",
  "unreadable",
  "minimum",
  "maximum",
  "sum",
  "total",
  "nan",
  "positive_infinity",
  "negative_infinity",
] as const;
const OF_BUCKETS = ["left", "right", "count"] as const;

/** The answer with the rows in front that it left out because they are known. */
export function completedHistograms(answer: Histograms, known: Histograms | undefined): Histograms {
  const { kept } = answer;
  if (!known || kept === 0) return answer;
  const buckets = known.bucket_start[kept]!;
  const whole = { ...answer, kept: 0, problem: answer.problem ?? known.problem };
  for (const name of OF_ROWS) whole[name] = joined(known[name].subarray(0, kept), answer[name]);
  for (const name of OF_BUCKETS) whole[name] = joined(known[name].subarray(0, buckets), answer[name]);
  const rest = answer.bucket_start.subarray(1).map((start) => start + buckets);
  whole.bucket_start = joined(known.bucket_start.subarray(0, kept + 1), rest);
  return whole;
}

function joined(front: Float64Array, rest: Float64Array): Float64Array {
  const whole = new Float64Array(front.length + rest.length);
  whole.set(front);
  whole.set(rest, front.length);
  return whole;
}

/** Steps that are in the buckets of a row. */
export function readSteps({ merged, unreadable }: Histograms, row: number): number {
  return merged[row]! - unreadable[row]!;
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
  const { bucket_start, left, right, count } = histograms;
  const spread = new Float64Array(columns);
  const scale = columns / (range[1] - range[0]);
  for (let bucket = bucket_start[row]!; bucket < bucket_start[row + 1]!; bucket++) {
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
export function finiteCount({ bucket_start, count }: Histograms, row: number): number {
  let sum = 0;
  for (let bucket = bucket_start[row]!; bucket < bucket_start[row + 1]!; bucket++) sum += count[bucket]!;
  return sum;
}

/**
 * Values below which these shares of a row lie, straight inside of a bucket; NaN for an empty row. None lies beyond the
 * smallest and the largest value, as the end of a bucket may: a constant has a bucket of some width, too.
 */
export function quantiles(histograms: Histograms, row: number, shares: readonly number[]): number[] {
  const { bucket_start, left, right, count } = histograms;
  const total = finiteCount(histograms, row);
  const [low, high] = [finiteOr(histograms.minimum[row], -Infinity), finiteOr(histograms.maximum[row], Infinity)];
  return shares.map((share) => {
    let before = 0;
    for (let bucket = bucket_start[row]!; bucket < bucket_start[row + 1]!; bucket++) {
      const here = count[bucket]!;
      if (here > 0 && before + here >= share * total) {
        const inside = Math.min(1, Math.max(0, (share * total - before) / here));
        return Math.min(high, Math.max(low, left[bucket]! + inside * (right[bucket]! - left[bucket]!)));
      }
      before += here;
    }
    return NaN;
  });
}

function finiteOr(value: number | undefined, other: number): number {
  return value !== undefined && Number.isFinite(value) ? value : other;
}

/** The bucket of a row that holds a value, or the nearest one that holds something; -1 in an empty row. */
export function bucketAt({ bucket_start, left, right, count }: Histograms, row: number, value: number): number {
  let [best, distance] = [-1, Infinity];
  for (let bucket = bucket_start[row]!; bucket < bucket_start[row + 1]!; bucket++) {
    const isInside = value >= left[bucket]! && value < right[bucket]!;
    if (isInside) return bucket;
    const away = Math.max(left[bucket]! - value, value - right[bucket]!, 0);
    if (count[bucket]! > 0 && away < distance) [best, distance] = [bucket, away];
  }
  return best;
}

/** Values that are not finite, over all rows. */
export function oddCounts({ nan, positive_infinity, negative_infinity }: Histograms): { nan: number; infinite: number } {
  const sum = (column: Float64Array): number => column.reduce((total, value) => total + value, 0);
  return { nan: sum(nan), infinite: sum(positive_infinity) + sum(negative_infinity) };
}
