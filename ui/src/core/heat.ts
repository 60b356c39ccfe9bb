// SPDX-License-Identifier: Apache-2.0
/** One dimension of a slice: indices from `start` on, `step` apart; `dimension` is null when the slice has none. */
export interface Span {
  dimension: number | null;
  start: number;
  step: number;
  size: number;
}

/** A slice of a tensor as cells, row by row. */
export interface Heat {
  /** Rows and columns of the slice. */
  shape: readonly [number, number];
  /** Rows and columns of the map. */
  cells: readonly [number, number];
  rows: Span;
  columns: Span;
  /** A cell stands for a block of elements, and shows the one farthest from the mean. */
  isReduced: boolean;
  minimum: number | null;
  maximum: number | null;
  value: Float32Array;
  /** 0, or 1 for NaN, 2 for +Inf, 3 for -Inf in the cell. */
  odd: Float32Array;
}

/** How the numbers of `odd` are read, from 1 on. */
export const ODD_NAMES = ["NaN", "+Inf", "\u2212Inf"] as const;

/** What of it that is no finite number the map holds. */
export function oddKinds({ odd }: { odd: Float32Array }): { kind: number; name: string }[] {
  const held = new Set(odd);
  return ODD_NAMES.map((name, index) => ({ kind: index + 1, name })).filter(({ kind }) => held.has(kind));
}

/** Indices of the slice that a cell of the map stands for, the last one not included. */
export function cellReach(cell: number, cells: number, size: number): readonly [number, number] {
  return [Math.ceil((cell * size) / cells), Math.ceil(((cell + 1) * size) / cells)];
}

/** The index in the tensor of a number of a span. */
export function indexAt(span: Span, number: number): number {
  return span.start + number * span.step;
}

/** How far a value lies between the lowest and the highest; the middle when they are the same. */
export function shareOf(value: number, minimum: number, maximum: number): number {
  return maximum > minimum ? (value - minimum) / (maximum - minimum) : 0.5;
}
