// SPDX-License-Identifier: Apache-2.0
import type { Message } from "../messages/message";
import { formatValue } from "../text/format";

/** One dimension of a slice: indices from `start` on, `step` apart; `dimension` is null when the slice has none. */
export type Span = Heat["rows"];

/** A slice of a tensor as cells, row by row. */
export type Heat = Omit<Message<"HeatHeader">, "columns_data"> & Message<"HeatColumns">;

/** How the numbers of `odd` are read, from 1 on. */
export const ODD_NAMES = ["NaN", "+Inf", "\u2212Inf"] as const;

/** What of it that is no finite number the map holds. */
export function oddKinds({ odd }: { odd: Float32Array }): { kind: number; name: string }[] {
  const held = new Set(odd);
  return ODD_NAMES.map((name, index) => ({ kind: index + 1, name })).filter(({ kind }) => held.has(kind));
}

/** Indices of the slice that a cell covers, end excluded. */
export function cellReach(cell: number, cells: number, size: number): readonly [number, number] {
  return [Math.ceil((cell * size) / cells), Math.ceil(((cell + 1) * size) / cells)];
}

/** The index in the tensor of a number of a span. */
export function indexAt(span: Span, number: number): number {
  return span.start + number * span.step;
}

/** Numbers at the ends of the color scale; a clipped end also covers every number beyond it. */
export interface ColorRange {
  low: number;
  high: number;
  isLowClipped: boolean;
  isHighClipped: boolean;
}

/** The share of the cells at each end that a few far numbers may be, and how much wider than the rest they must lie. */
const FAR_SHARE = 0.01;
const FAR_WIDTHS = 1;
/** Of fewer cells none is one of many. */
const FEW_CELLS = 20;

/**
 * From the lowest to the highest number, or without what few cells hold far from all others: an end beyond the middle
 * 98 % of the cells by more than their width is clipped, so that a single outlier does not flatten the rest.
 * Null without numbers.
 */
export function colorRange({ value, odd, minimum, maximum }: Heat, isWhole: boolean): ColorRange | null {
  if (minimum === null || maximum === null) return null;
  const whole = { low: minimum, high: maximum, isLowClipped: false, isHighClipped: false };
  const sorted = value.filter((number, cell) => odd[cell] === 0 && Number.isFinite(number)).sort();
  if (isWhole || sorted.length < FEW_CELLS) return whole;
  const far = Math.max(1, Math.round(FAR_SHARE * sorted.length));
  const [low, high] = [sorted[far]!, sorted[sorted.length - 1 - far]!];
  const reach = FAR_WIDTHS * (high - low);
  if (reach === 0) return whole;
  const [isLowClipped, isHighClipped] = [minimum < low - reach, maximum > high + reach];
  return { low: isLowClipped ? low : minimum, high: isHighClipped ? high : maximum, isLowClipped, isHighClipped };
}

/** Labels of both ends of the color scale; a sign marks a clipped end. */
export function endLabels(
  { low, high, isLowClipped, isHighClipped }: ColorRange,
  format: (number: number) => string = formatValue,
): [string, string] {
  return [`${isLowClipped ? "≤ " : ""}${format(low)}`, `${isHighClipped ? "≥ " : ""}${format(high)}`];
}

/** How far a value lies between the lowest and the highest; the middle when they are the same. */
export function shareOf(value: number, minimum: number, maximum: number): number {
  return maximum > minimum ? (value - minimum) / (maximum - minimum) : 0.5;
}

const LARGEST_CELL = 48;
/** Square cells of at least this size are easy to see and to point at. */
const READABLE_CELL = 8;
/** Matrices less long than this have square cells of any size: they look as long as they are. */
const LONG = 4;
/** A cell of a longer matrix may be this much longer than wide. */
const LONGEST_CELL = 6;

/** Size of a cell in CSS pixels: square unless a long matrix would be a thin line. A cell of a reduced matrix is as long as the block that it covers. */
export function cellSize(
  { shape, cells: [rows, columns] }: Pick<Heat, "shape" | "cells">,
  room: { width: number; height: number },
): { width: number; height: number } {
  const block = shape[0] / rows / (shape[1] / columns);
  const width = Math.min(room.width / columns, LARGEST_CELL);
  const height = Math.min(room.height / rows, LARGEST_CELL);
  const square = { width: Math.min(width, height / block), height: Math.min(height, width * block) };
  const isLong = Math.max(shape[0] / shape[1], shape[1] / shape[0]) >= LONG;
  if (!isLong || Math.min(square.width, square.height) >= READABLE_CELL) return square;
  return { width: Math.min(width, (height / block) * LONGEST_CELL), height: Math.min(height, width * block * LONGEST_CELL) };
}
