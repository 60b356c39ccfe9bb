// SPDX-License-Identifier: Apache-2.0
/** Heights of all lines at an axis, in CSS pixels. */
export type LineHeights = ArrayLike<number>;

/**
 * The line nearest to a point between two axes, within `reach` pixels across the line; null if there is none. `part` is
 * the distance from the first axis in widths of the strip. Lines that don't pass are skipped.
 */
export function nearestLine(
  from: LineHeights,
  to: LineHeights,
  { part, y, width, reach }: { part: number; y: number; width: number; reach: number },
  passing: ArrayLike<number>,
): number | null {
  let [nearest, least] = [-1, reach];
  for (let line = 0; line < from.length; line++) {
    if (passing[line] !== 1) continue;
    const rise = to[line]! - from[line]!;
    const across = Math.abs(from[line]! + part * rise - y) / Math.hypot(1, rise / width);
    if (across < least) [nearest, least] = [line, across];
  }
  return nearest < 0 ? null : nearest;
}
