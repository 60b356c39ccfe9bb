// SPDX-License-Identifier: Apache-2.0
import type { Range } from "../scales/axis";

/** Values that have no height on a chart and are therefore marked on a rail at its edge. */
export type NonFiniteKind = "nan" | "positive_infinity" | "negative_infinity" | "not_positive" | "above" | "below";

export interface Missing {
  x: number;
  kind: NonFiniteKind;
}

/** `shown`: the heights that the chart has room for where far values are left out, else null. */
export function nonFiniteKind(value: number, isLog: boolean, shown: Range | null = null): NonFiniteKind | null {
  if (Number.isNaN(value)) return "nan";
  if (value === Infinity) return "positive_infinity";
  if (value === -Infinity) return "negative_infinity";
  if (isLog && value <= 0) return "not_positive";
  if (shown === null) return null;
  if (value > shown[1]) return "above";
  return value < shown[0] ? "below" : null;
}

/** Every row that can't be drawn, in row order. On a logarithmic axis zero and negative values are among them. */
export function nonFiniteMarks(x: ArrayLike<number>, values: ArrayLike<number>, isLog: boolean, shown: Range | null = null): Missing[] {
  const marks: Missing[] = [];
  for (let row = 0; row < values.length; row++) {
    const kind = nonFiniteKind(values[row]!, isLog, shown);
    if (kind !== null) marks.push({ x: x[row]!, kind });
  }
  return marks;
}

/** Where marks of a kind belong: what went up at the top edge, everything else at the bottom. */
export function isAtTop(kind: NonFiniteKind): boolean {
  return kind === "positive_infinity" || kind === "above";
}

/** One mark a pixel and kind is enough: thousands of NaN must not cost thousands of strokes. */
export function thinMarks(marks: readonly Missing[], toPixel: (x: number) => number): { pixel: number; kind: NonFiniteKind }[] {
  const seen = new Set<string>();
  const kept: { pixel: number; kind: NonFiniteKind }[] = [];
  for (const mark of marks) {
    const pixel = Math.round(toPixel(mark.x));
    const key = `${mark.kind}${pixel}`;
    if (!seen.has(key)) {
      seen.add(key);
      kept.push({ pixel, kind: mark.kind });
    }
  }
  return kept;
}

/** Heights of points at x <= 0, which a logarithmic axis can't show; whole pixels, each once. */
export function pixelsBefore(x: ArrayLike<number>, values: ArrayLike<number>, toPixel: (value: number) => number): number[] {
  const pixels = new Set<number>();
  for (let row = 0; row < values.length; row++) {
    if (x[row]! <= 0 && Number.isFinite(values[row]!)) pixels.add(Math.round(toPixel(values[row]!)));
  }
  return [...pixels];
}
