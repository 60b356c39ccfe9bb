// SPDX-License-Identifier: Apache-2.0
import type { Pen } from "../../core/series/curvePath";

/** Canvas pen: lines in one path, single points as discs in another. */
export class CurvePen implements Pen {
  readonly line = new Path2D();
  readonly dots = new Path2D();
  readonly #radius: number;

  constructor(radius: number) {
    this.#radius = radius;
  }

  moveTo(x: number, y: number): void {
    this.line.moveTo(x, y);
  }

  lineTo(x: number, y: number): void {
    this.line.lineTo(x, y);
  }

  dot(x: number, y: number): void {
    this.dots.moveTo(x + this.#radius, y);
    this.dots.arc(x, y, this.#radius, 0, 2 * Math.PI);
  }
}
