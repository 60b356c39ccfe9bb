// SPDX-License-Identifier: Apache-2.0
import { finiteSegments } from "./series";

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

/** Values for a scale: on a logarithmic one zero and negative values become gaps. */
export function drawableValues(values: Float32Array, isLog: boolean): Float32Array {
  return isLog ? values.map((value) => (value > 0 ? value : NaN)) : values;
}
