// SPDX-License-Identifier: Apache-2.0
import { orderedBy } from "../text/naturalSort";

export type HparamCell = number | boolean | string | null;

export interface HparamColumn {
  name: string;
  role: string;
  differs: boolean;
}

export interface HparamRow {
  run: string;
  cells: readonly HparamCell[];
}

export interface HparamTable {
  columns: readonly HparamColumn[];
  rows: readonly HparamRow[];
}

/** Key that separates columns of the same name in the URL. */
export function columnKey({ role, name }: HparamColumn): string {
  return `${role}/${name}`;
}

/** The columns to show, each with its place in the cells. */
export function shownColumns(table: HparamTable, showsEqual: boolean): { column: HparamColumn; index: number }[] {
  const all = table.columns.map((column, index) => ({ column, index }));
  return showsEqual ? all : all.filter(({ column }) => column.differs);
}

/** Rows by a column, those without a value last; an unknown column leaves them as they are. */
export function sortRows(
  table: HparamTable,
  rows: readonly HparamRow[],
  sort: { column: string; isDescending: boolean } | null,
): readonly HparamRow[] {
  if (!sort) return rows;
  if (sort.column === "run") return orderedBy(rows, (row) => row.run, sort.isDescending);
  const index = table.columns.findIndex((column) => columnKey(column) === sort.column);
  return index < 0 ? rows : orderedBy(rows, (row) => sortKey(row.cells[index] ?? null), sort.isDescending);
}

function sortKey(cell: HparamCell): number | string | null {
  return typeof cell === "boolean" ? Number(cell) : cell;
}
