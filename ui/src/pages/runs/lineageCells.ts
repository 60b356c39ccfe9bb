// SPDX-License-Identifier: Apache-2.0
import { cellText, numberOf, type LineageCell } from "../../core/lineage/column";
import { lineage } from "../../state/data/lineage.svelte";

/** The value of a run in a column of the lineage; null without one, and until the lineage is read. */
export function lineageCell(column: string, run: string): LineageCell {
  const { table } = lineage;
  const row = table?.rowOf.get(run);
  return row === undefined ? null : (table?.columns.get(column)?.cells[row] ?? null);
}

/** Numbers by size, other values as text; NaN as if it were missing. */
export function sortKey(cell: LineageCell): string | number | null {
  if (cell === null) return null;
  const number = numberOf(cell);
  if (number === null) return cellText(cell);
  return Number.isNaN(number) ? null : number;
}
