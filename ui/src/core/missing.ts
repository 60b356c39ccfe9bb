// SPDX-License-Identifier: Apache-2.0
/** Values that have no height on a chart and are therefore marked on a rail at its edge. */
export type MissingKind = "nan" | "positive_infinity" | "negative_infinity" | "not_positive";

export interface Missing {
  x: number;
  kind: MissingKind;
}

export function missingKind(value: number, isLog: boolean): MissingKind | null {
  if (Number.isNaN(value)) return "nan";
  if (value === Infinity) return "positive_infinity";
  if (value === -Infinity) return "negative_infinity";
  return isLog && value <= 0 ? "not_positive" : null;
}

/** Every row that can't be drawn, in row order. On a logarithmic axis zero and negative values are among them. */
export function missingMarks(x: ArrayLike<number>, values: ArrayLike<number>, isLog: boolean): Missing[] {
  const marks: Missing[] = [];
  for (let row = 0; row < values.length; row++) {
    const kind = missingKind(values[row]!, isLog);
    if (kind !== null) marks.push({ x: x[row]!, kind });
  }
  return marks;
}

/** Where marks of a kind belong: +Inf at the top edge, everything else at the bottom. */
export function isAtTop(kind: MissingKind): boolean {
  return kind === "positive_infinity";
}

/** One mark a pixel and kind is enough: thousands of NaN must not cost thousands of strokes. */
export function thinMarks(marks: readonly Missing[], toPixel: (x: number) => number): { pixel: number; kind: MissingKind }[] {
  const seen = new Set<string>();
  const kept: { pixel: number; kind: MissingKind }[] = [];
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
