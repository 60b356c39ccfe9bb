// SPDX-License-Identifier: Apache-2.0
import { finiteSegments, type Floats } from "./series";

/** What a path is drawn on: a Path2D of the canvas or the text of an SVG path. */
export interface Pen {
  moveTo(x: number, y: number): void;
  lineTo(x: number, y: number): void;
  /** A point that has no neighbour to be joined with. */
  dot(x: number, y: number): void;
}

export interface Projection {
  x: (value: number) => number;
  y: (value: number) => number;
}

/** Draws the finite stretches of a curve; `values` holds NaN where the scale has no place for a value. */
export function traceCurve(pen: Pen, x: ArrayLike<number>, values: ArrayLike<number>, projection: Projection): void {
  for (const { start, end } of finiteSegments(values)) {
    if (end - start === 1) {
      pen.dot(projection.x(x[start]!), projection.y(values[start]!));
      continue;
    }
    pen.moveTo(projection.x(x[start]!), projection.y(values[start]!));
    for (let row = start + 1; row < end; row++) pen.lineTo(projection.x(x[row]!), projection.y(values[row]!));
  }
}

/** Outlines the area between two rows of edges, one closed shape for each stretch in which both are finite. */
export function traceBand(pen: Pen, x: ArrayLike<number>, low: ArrayLike<number>, high: ArrayLike<number>, projection: Projection): void {
  const both = Float64Array.from(low, (value, row) => value + high[row]!);
  for (const { start, end } of finiteSegments(both)) {
    pen.moveTo(projection.x(x[start]!), projection.y(low[start]!));
    for (let row = start + 1; row < end; row++) pen.lineTo(projection.x(x[row]!), projection.y(low[row]!));
    for (let row = end - 1; row >= start; row--) pen.lineTo(projection.x(x[row]!), projection.y(high[row]!));
  }
}

/** Pen that writes the `d` of an SVG path. Dots become round caps of zero length. */
export class SvgPen implements Pen {
  readonly commands: string[] = [];

  moveTo(x: number, y: number): void {
    this.commands.push(`M${round(x)} ${round(y)}`);
  }

  lineTo(x: number, y: number): void {
    this.commands.push(`L${round(x)} ${round(y)}`);
  }

  dot(x: number, y: number): void {
    this.commands.push(`M${round(x)} ${round(y)}h0`);
  }

  toString(): string {
    return this.commands.join("");
  }
}

function round(value: number): number {
  return Math.round(value * 100) / 100;
}

/**
 * Values for a scale: on a logarithmic one zero and negative values become gaps; so do values at places `x` without a
 * logarithm, when the horizontal axis is logarithmic (null when it is not).
 */
export function drawableValues(values: Floats, isLog: boolean, x: Float64Array | null = null): Floats {
  if (!isLog && x === null) return values;
  return values.map((value, row) => ((isLog && !(value > 0)) || (x !== null && !(x[row]! > 0)) ? NaN : value));
}
