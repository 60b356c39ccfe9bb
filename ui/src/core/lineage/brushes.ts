// SPDX-License-Identifier: Apache-2.0
import { cellText, numberOf, type LineageCell, type LineageColumn } from "./column";

/** Why a cell has no place on an axis. */
export type GapKind = "missing" | "nan" | "positive_infinity" | "negative_infinity" | "not_positive" | "not_a_number";

export const GAP_KINDS: readonly GapKind[] = ["missing", "nan", "positive_infinity", "negative_infinity", "not_positive", "not_a_number"];

/**
 * What one brush of a column selects: numbers from low to high, both included; values by their text; or cells that have
 * no place on the axis. Its meaning doesn't depend on the scale of an axis.
 */
export type Brush =
  { readonly low: number; readonly high: number } | { readonly values: readonly string[] } | { readonly gaps: readonly GapKind[] };

/** Brushes by the id of a column. A run passes a column if it passes one of its brushes. */
export type Brushes = ReadonlyMap<string, readonly Brush[]>;

/** Whether a cell is without a place on an axis, and why. Zero and negative numbers have none on a logarithmic axis. */
export function gapOf(cell: LineageCell, kind: "linear" | "log" | "category"): GapKind | null {
  if (cell === null) return "missing";
  const number = numberOf(cell);
  if (number === null) return kind === "category" ? null : "not_a_number";
  if (Number.isNaN(number)) return "nan";
  if (!Number.isFinite(number)) return number > 0 ? "positive_infinity" : "negative_infinity";
  return kind === "log" && number <= 0 ? "not_positive" : null;
}

function isIn(cell: LineageCell, brush: Brush): boolean {
  if ("gaps" in brush) return brush.gaps.some((gap) => isGap(cell, gap));
  if ("values" in brush) return cell !== null && brush.values.includes(cellText(cell));
  const number = numberOf(cell);
  return number !== null && number >= brush.low && number <= brush.high;
}

function isGap(cell: LineageCell, gap: GapKind): boolean {
  if (gap === "not_positive") return gapOf(cell, "log") === gap;
  return gapOf(cell, gap === "not_a_number" ? "linear" : "category") === gap;
}

/** Whether a cell passes the brushes of its column; without a brush every cell does. */
export function passesBrushes(cell: LineageCell, brushes: readonly Brush[]): boolean {
  return brushes.length === 0 || brushes.some((brush) => isIn(cell, brush));
}

/** For each run 1 if it passes the brushes of all columns, else 0. Ignores brushes of other columns. */
export function passingRows(columns: Iterable<LineageColumn>, brushes: Brushes, length: number): Uint8Array {
  const passing = new Uint8Array(length).fill(1);
  for (const { id, cells } of columns) {
    const own = brushes.get(id) ?? [];
    if (own.length === 0) continue;
    for (let row = 0; row < length; row++) {
      if (passing[row] === 1 && !passesBrushes(cells[row] ?? null, own)) passing[row] = 0;
    }
  }
  return passing;
}
