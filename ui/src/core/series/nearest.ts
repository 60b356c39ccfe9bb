// SPDX-License-Identifier: Apache-2.0
/** Row whose position is closest to `x`, -1 for no rows. Halves when ascending, else looks at all rows. */
export function nearestRow(positions: ArrayLike<number>, x: number, ascending = true): number {
  return ascending ? nearestAscending(positions, x) : nearestScan(positions, x);
}

function nearestAscending(positions: ArrayLike<number>, x: number): number {
  let low = 0;
  let high = positions.length - 1;
  if (high < 0) return -1;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (positions[middle]! <= x) low = middle;
    else high = middle;
  }
  return Math.abs(positions[high]! - x) < Math.abs(positions[low]! - x) ? high : low;
}

function nearestScan(positions: ArrayLike<number>, x: number): number {
  let best = -1;
  let distance = Infinity;
  for (let row = 0; row < positions.length; row++) {
    const away = Math.abs(positions[row]! - x);
    if (away < distance) {
      best = row;
      distance = away;
    }
  }
  return best;
}

export interface Hit {
  /** Number of the curve in the list that was searched. */
  curve: number;
  row: number;
  x: number;
  /** Distance to the cursor in pixels. */
  distance: number;
}

export interface Searchable {
  x: ArrayLike<number>;
  /** What is drawn: smoothed where there is smoothing. */
  y: ArrayLike<number>;
  ascending: boolean;
  /** Number of the vertical axis. */
  scale: number;
}

/** The row of every curve nearest to the cursor along x, the curve nearest in both directions first. */
export function hitsByNearness(
  curves: readonly Searchable[],
  cursor: { x: number; pixelX: number; pixelY: number },
  toPixelX: (x: number) => number,
  toPixelY: (y: number, scale: number) => number,
): Hit[] {
  const hits: Hit[] = [];
  curves.forEach((curve, index) => {
    const row = nearestRow(curve.x, cursor.x, curve.ascending);
    if (row < 0) return;
    const away = toPixelY(curve.y[row]!, curve.scale) - cursor.pixelY;
    const vertical = Number.isFinite(away) ? away : 1e6;
    const x = curve.x[row]!;
    hits.push({ curve: index, row, x, distance: Math.hypot(toPixelX(x) - cursor.pixelX, vertical) });
  });
  return hits.sort((one, other) => one.distance - other.distance || one.curve - other.curve);
}
