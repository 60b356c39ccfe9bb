// SPDX-License-Identifier: Apache-2.0
import type { Point } from "./histogramLayout";
import { finiteSegments, type Floats } from "./series";

/** What lines are added to: a Path2D, or the path of a surface. */
export interface LinePath {
  moveTo(x: number, y: number): void;
  lineTo(x: number, y: number): void;
}

export interface Projection {
  x: (value: number) => number;
  y: (value: number) => number;
}

/** Adds the finite stretches of a curve to a path, and returns the points without a neighbor. NaN: the scale has no place for a value. */
export function traceCurve(path: LinePath, x: ArrayLike<number>, values: ArrayLike<number>, projection: Projection): Point[] {
  const lonely: Point[] = [];
  for (const { start, end } of finiteSegments(values)) {
    const first = { x: projection.x(x[start]!), y: projection.y(values[start]!) };
    if (end - start === 1) {
      lonely.push(first);
      continue;
    }
    path.moveTo(first.x, first.y);
    for (let row = start + 1; row < end; row++) path.lineTo(projection.x(x[row]!), projection.y(values[row]!));
  }
  return lonely;
}

/** Outlines the area between two rows of edges, one closed shape for each stretch in which both are finite. */
export function traceBand(
  path: LinePath,
  x: ArrayLike<number>,
  low: ArrayLike<number>,
  high: ArrayLike<number>,
  projection: Projection,
): void {
  const both = Float64Array.from(low, (value, row) => value + high[row]!);
  for (const { start, end } of finiteSegments(both)) {
    path.moveTo(projection.x(x[start]!), projection.y(low[start]!));
    for (let row = start + 1; row < end; row++) path.lineTo(projection.x(x[row]!), projection.y(low[row]!));
    for (let row = end - 1; row >= start; row--) path.lineTo(projection.x(x[row]!), projection.y(high[row]!));
  }
}

/**
 * Values for a scale: on a logarithmic one zero and negative values become gaps; so do values at places `x` without a
 * logarithm, when the horizontal axis is logarithmic (null when it is not).
 */
export function drawableValues(values: Floats, isLog: boolean, x: Float64Array | null = null): Floats {
  if (!isLog && x === null) return values;
  return values.map((value, row) => ((isLog && !(value > 0)) || (x !== null && !(x[row]! > 0)) ? NaN : value));
}
