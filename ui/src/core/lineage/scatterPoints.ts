// SPDX-License-Identifier: Apache-2.0
import type { AxisScale, Share } from "./axisScale";
import { numbersOf, type LineageColumn } from "./column";

/** Runs that have a place on both axes, as parallel arrays. */
export interface ScatterPoints {
  /** Indices into the drawn rows. */
  lines: Int32Array;
  x: Float64Array;
  y: Float64Array;
  /** Drawn runs without a place on one of the axes. */
  unplaced: number;
}

const GOLDEN = 0.618034;
/** Points of a category are spread over this share of its band. */
const SPREAD = 0.6;
const RADII: readonly [least: number, most: number] = [2, 7];

/** Places of runs; those of a category are spread over its band, each run always at the same place. */
export function scatterPoints(xScale: AxisScale, yScale: AxisScale, rows: ArrayLike<number>): ScatterPoints {
  const lines = Array.from({ length: rows.length }, (_, line) => line).filter(
    (line) => !Number.isNaN(xScale.shares[rows[line]!]! + yScale.shares[rows[line]!]!),
  );
  return {
    lines: Int32Array.from(lines),
    x: Float64Array.from(lines, (line) => spreadShare(xScale, rows[line]!, GOLDEN)),
    y: Float64Array.from(lines, (line) => spreadShare(yScale, rows[line]!, GOLDEN * GOLDEN)),
    unplaced: rows.length - lines.length,
  };
}

function spreadShare({ shares, kind, categories }: AxisScale, row: number, turn: number): Share {
  const share = shares[row]!;
  return kind === "category" ? share + ((((row + 1) * turn) % 1) - 0.5) * (SPREAD / categories.length) : share;
}

/** Radii of points in CSS pixels, their areas by a column; the smallest for a missing value. One radius without a column. */
export function pointRadii(column: LineageColumn | null, rows: ArrayLike<number>): Float32Array {
  const radius = Math.max(RADII[0], Math.min(3.5, 40 / Math.sqrt(Math.max(1, rows.length))));
  if (!column) return new Float32Array(rows.length).fill(radius);
  const values = Float64Array.from(rows, (row) => numbersOf(column)[row] ?? NaN);
  const finite = values.filter(Number.isFinite);
  const [low, high] = [
    finite.reduce((one, other) => Math.min(one, other), Infinity),
    finite.reduce((one, other) => Math.max(one, other), -Infinity),
  ];
  const least = RADII[0];
  const most = Math.max(least + 1.5, RADII[1] * Math.min(1, (300 / rows.length) ** 0.25));
  return Float32Array.from(values, (value) => {
    if (!Number.isFinite(value) || high <= low) return least;
    return Math.sqrt(least ** 2 + ((value - low) / (high - low)) * (most ** 2 - least ** 2));
  });
}

/** Counts of equally wide bins along an axis, or of its categories, from the lower end up. */
export interface MarginCounts {
  all: Uint32Array;
  passing: Uint32Array;
}

const MOST_BINS = 40;

/** How many drawn runs are in each part of an axis, and how many of them pass. */
export function marginCounts({ shares, kind, categories }: AxisScale, rows: ArrayLike<number>, passing: ArrayLike<number>): MarginCounts {
  const bins =
    kind === "category" ? Math.max(1, categories.length) : Math.max(4, Math.min(MOST_BINS, Math.round(2 * Math.sqrt(rows.length))));
  const counts = { all: new Uint32Array(bins), passing: new Uint32Array(bins) };
  for (let line = 0; line < rows.length; line++) {
    const share = shares[rows[line]!]!;
    if (Number.isNaN(share)) continue;
    const bin = Math.max(0, Math.min(bins - 1, Math.floor(share * bins)));
    counts.all[bin]!++;
    if (passing[line] === 1) counts.passing[bin]!++;
  }
  return counts;
}

/** The point nearest to a place within `reach` pixels; `width` and `height` are the sides of the area. Index into `points`, or null. */
export function nearestPoint(
  { lines, x, y }: ScatterPoints,
  at: { x: Share; y: Share },
  { width, height, reach }: { width: number; height: number; reach: number },
  passing: ArrayLike<number>,
): number | null {
  let [nearest, least] = [-1, reach];
  for (let index = 0; index < lines.length; index++) {
    if (passing[lines[index]!] !== 1) continue;
    const distance = Math.hypot((x[index]! - at.x) * width, (y[index]! - at.y) * height);
    if (distance <= least) [nearest, least] = [index, distance];
  }
  return nearest < 0 ? null : nearest;
}
