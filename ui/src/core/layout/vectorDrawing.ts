// SPDX-License-Identifier: Apache-2.0
import type { Range } from "../scales/axis";

/** A drawing inside of a page: its colors are CSS colors, tokens allowed, so that it follows the page's theme. */
export interface Drawing {
  width: number;
  height: number;
  /** Elements of an SVG; texts in them are escaped. */
  body: string;
  /** Plotting area and axes; null for a drawing without curves. */
  plot: DrawnPlot | null;
}

/** What a tooltip over the curves of a drawing needs. */
export interface DrawnPlot {
  left: number;
  top: number;
  right: number;
  bottom: number;
  /** Which point of a curve a pointer is on: the one at its place of the axis, or the nearest one. */
  by: "x" | "point";
  x: DrawnAxis;
  /** One for each vertical axis. */
  ys: readonly DrawnAxis[];
}

export interface DrawnAxis {
  /** Quantity on the axis: step, relative, wall, or another name. */
  name: string;
  range: Range;
  isLog: boolean;
}

/** The numbers of one line of a drawing, column by column. */
export interface DrawnLine {
  /** The run, or what else the line is called. */
  name: string;
  /** Which of several parts of a chart; "" where a chart has only one. */
  part: string;
  /** A CSS color, tokens allowed. */
  color: string;
  /** Number of the vertical axis. */
  scale: number;
  x: ArrayLike<number>;
  value: ArrayLike<number>;
  smoothed?: ArrayLike<number> | null;
  /** Steps, where x is something else. */
  step?: ArrayLike<number> | null;
  low?: ArrayLike<number> | null;
  high?: ArrayLike<number> | null;
  /** Runs with a value at each x, in a group of runs. */
  count?: ArrayLike<number> | null;
}

/** A pixel as text, on a tenth of a pixel. */
export function pixel(place: number): string {
  return String(Math.round(place * 10) / 10);
}
