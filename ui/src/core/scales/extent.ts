// SPDX-License-Identifier: Apache-2.0
import type { Range } from "./axis";

/** Shares of the values that are certainly near, and how many of their widths further a value may lie. */
const NEAR_SHARE = 0.05;
const NEAR_WIDTHS = 3;

const EVERYTHING: Range = [-Infinity, Infinity];

/** Whole extents of columns, which never change: linear and logarithmic ones. */
const extents = [new WeakMap<ArrayLike<number>, Range>(), new WeakMap<ArrayLike<number>, Range>()] as const;

/** Smallest and largest finite value within a range; null when there is none. `isLog` leaves out what has no logarithm. */
export function finiteExtent(columns: Iterable<ArrayLike<number>>, isLog = false, within: Range = EVERYTHING): Range | null {
  let low = Infinity;
  let high = -Infinity;
  const known = extents[Number(isLog)]!;
  for (const values of columns) {
    const [least, most] = (within === EVERYTHING ? known.get(values) : undefined) ?? columnExtent(values, isLog, within);
    if (within === EVERYTHING) known.set(values, [least, most]);
    if (least < low) low = least;
    if (most > high) high = most;
  }
  return low <= high ? [low, high] : null;
}

/** Infinity and -Infinity when there is none. */
function columnExtent(values: ArrayLike<number>, isLog: boolean, within: Range): Range {
  let low = Infinity;
  let high = -Infinity;
  for (let row = 0; row < values.length; row++) {
    const value = values[row]!;
    if (!Number.isFinite(value) || (isLog && value <= 0) || value < within[0] || value > within[1]) continue;
    if (value < low) low = value;
    if (value > high) high = value;
  }
  return [low, high];
}

/**
 * The range of what is not far from nearly all values: no further from the middle nine tenths than three times their
 * width. Null without a finite value.
 */
export function nearRange(values: readonly number[], isLog = false): Range | null {
  const finite = values.filter((value) => Number.isFinite(value) && !(isLog && value <= 0));
  if (finite.length === 0) return null;
  const sorted = Float64Array.from(finite, isLog ? Math.log10 : Number).sort();
  const at = (share: number): number => sorted[Math.round(share * (sorted.length - 1))]!;
  const [low, high] = [at(NEAR_SHARE), at(1 - NEAR_SHARE)];
  const reach = NEAR_WIDTHS * (high - low);
  const range = [low - reach, high + reach] as const;
  return isLog ? [10 ** range[0], 10 ** range[1]] : range;
}

/** Extent with air above and below, never of zero width; what the y axis shows when nothing is zoomed. */
export function paddedExtent(extent: Range | null, isLog: boolean, share = 0.06): Range {
  if (extent === null) return isLog ? [0.1, 1] : [0, 1];
  const [low, high] = extent;
  if (isLog) {
    const factor = low === high ? 2 : (high / low) ** share;
    return [low / factor, high * factor];
  }
  if (low === high) {
    const half = low === 0 ? 1 : Math.abs(low) * 0.1;
    return [low - half, high + half];
  }
  const pad = (high - low) * share;
  return [low - pad, high + pad];
}

/** The x-axis ends where the data ends; a single position is in the middle. */
export function positionExtent(extent: Range | null, isLog = false): Range {
  if (extent === null) return isLog ? [1, 10] : [0, 1];
  const [low, high] = extent;
  if (low !== high) return [low, high];
  return isLog ? [low / 2, low * 2] : [low - 1, high + 1];
}
