// SPDX-License-Identifier: Apache-2.0
import type { Range } from "../scales/axis";

/** The shown part of a plane: shares of its extent along both axes, 0 to 1 from left to right and from below. */
export interface PlaneWindow {
  x: Range;
  y: Range;
}

export const WHOLE_PLANE: PlaneWindow = { x: [0, 1], y: [0, 1] };
const SMALLEST = 0.01;
const DECIMALS = 4;

/** Zooms by a factor; the point at `at`, in shares of the shown part, stays in its place. */
export function zoomedPlane({ x, y }: PlaneWindow, factor: number, at: { x: number; y: number } = { x: 0.5, y: 0.5 }): PlaneWindow {
  return { x: zoomedRange(x, factor, at.x), y: zoomedRange(y, factor, at.y) };
}

/** Moves what is shown by shares of the shown part. */
export function pannedPlane({ x, y }: PlaneWindow, right: number, up: number): PlaneWindow {
  return { x: within(x[0] - right * (x[1] - x[0]), x[1] - x[0]), y: within(y[0] - up * (y[1] - y[0]), y[1] - y[0]) };
}

export function isWholePlane({ x, y }: PlaneWindow): boolean {
  return x[0] === 0 && x[1] === 1 && y[0] === 0 && y[1] === 1;
}

/** The part of a range that a share of it is. */
export function partOfRange([low, high]: Range, [from, to]: Range): Range {
  return [low + from * (high - low), low + to * (high - low)];
}

export function writePlaneWindow({ x, y }: PlaneWindow): string {
  return [...x, ...y].join(",");
}

/** The whole plane for anything that is no part of it. */
export function readPlaneWindow(text: string): PlaneWindow {
  const numbers = text.split(",").map(Number);
  if (numbers.length !== 4 || !numbers.every((each) => each >= 0 && each <= 1)) return WHOLE_PLANE;
  const [left, right, bottom, top] = numbers as [number, number, number, number];
  return right - left < SMALLEST || top - bottom < SMALLEST ? WHOLE_PLANE : { x: [left, right], y: [bottom, top] };
}

function zoomedRange([from, to]: Range, factor: number, at: number): Range {
  const extent = Math.min(1, Math.max(SMALLEST, (to - from) / factor));
  return within(from + at * (to - from - extent), extent);
}

/** A range of this extent inside of 0 to 1, and short in an address. */
function within(from: number, extent: number): Range {
  const start = Math.min(1 - extent, Math.max(0, from));
  return [rounded(start), rounded(start + extent)];
}

function rounded(value: number): number {
  return Number(value.toFixed(DECIMALS));
}
