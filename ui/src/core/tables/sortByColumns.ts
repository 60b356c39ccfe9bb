// SPDX-License-Identifier: Apache-2.0
import { cellText, type LineageCell } from "../lineage/column";
import { compareNames } from "../text/naturalSort";
import type { ColumnSort } from "./columnSort";

/**
 * Rows sorted by the first column, ties by the next; equal rows keep their order. Numbers come first, then texts in
 * natural order, booleans and lists. NaN, then missing values come last in both directions.
 */
export function sortedByColumns<Row>(rows: readonly Row[], sorts: readonly ColumnSort[], cellOf: CellOf<Row>): Row[] {
  const keys = sorts.map(({ column, isDescending }) => {
    const known = new Map(rows.map((row) => [row, sortKey(cellOf(column, row))]));
    return { known, sign: isDescending ? -1 : 1 };
  });
  return [...rows].sort((one, other) => {
    for (const { known, sign } of keys) {
      const order = compareKeys(known.get(one)!, known.get(other)!, sign);
      if (order !== 0) return order;
    }
    return 0;
  });
}

/** The cell of a row in a column; null without one. */
export type CellOf<Row> = (column: string, row: Row) => LineageCell;

/** The rank of the kind of value, and the value; NaN and missing values have the last ranks. */
type SortKey = readonly [number, number | string];

const [NUMBER, TEXT, BOOL, LIST, NAN, MISSING] = [0, 1, 2, 3, 4, 5];

function sortKey(cell: LineageCell): SortKey {
  if (cell === null) return [MISSING, 0];
  if (typeof cell === "number") return Number.isNaN(cell) ? [NAN, 0] : [NUMBER, cell];
  if (typeof cell === "string") return [TEXT, cell];
  if (typeof cell === "boolean") return [BOOL, Number(cell)];
  if ("number" in cell) return cell.number === "NaN" ? [NAN, 0] : [NUMBER, Number(cell.number)];
  return [LIST, cellText(cell)];
}

function compareKeys([kind, one]: SortKey, [otherKind, other]: SortKey, sign: number): number {
  if (kind !== otherKind) return kind >= NAN || otherKind >= NAN ? kind - otherKind : sign * (kind - otherKind);
  if (one === other) return 0;
  return sign * (typeof one === "string" ? compareNames(one, String(other)) : one - Number(other));
}
