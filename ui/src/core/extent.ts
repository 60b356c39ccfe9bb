// SPDX-License-Identifier: Apache-2.0
import type { Range } from "./axis";

/** Smallest and largest finite value; null when there is none. `isLog` leaves out what has no logarithm. */
export function finiteExtent(columns: Iterable<ArrayLike<number>>, isLog = false): Range | null {
  let low = Infinity;
  let high = -Infinity;
  for (const values of columns) {
    for (let row = 0; row < values.length; row++) {
      const value = values[row]!;
      if (!Number.isFinite(value) || (isLog && value <= 0)) continue;
      if (value < low) low = value;
      if (value > high) high = value;
    }
  }
  return low <= high ? [low, high] : null;
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

/** The x axis ends where the data ends; a single position stands in the middle. */
export function positionExtent(extent: Range | null): Range {
  if (extent === null) return [0, 1];
  const [low, high] = extent;
  return low === high ? [low - 1, high + 1] : [low, high];
}
