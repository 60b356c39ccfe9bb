// SPDX-License-Identifier: Apache-2.0
export type TableCell = string | number | boolean | null;

/** What is saved of a table: the names of its columns, and the cells of its rows in their order. */
export interface Table {
  header: readonly string[];
  rows: readonly (readonly TableCell[])[];
}

/** A table as a list of its rows, each with its cells by name. JSON has no NaN and no infinities: they are texts. */
export function jsonTable(header: readonly string[], rows: readonly (readonly TableCell[])[]): string {
  const named = rows.map((row) => Object.fromEntries(header.map((name, column) => [name, jsonCell(row[column] ?? null)])));
  return `${JSON.stringify(named, null, 1)}\n`;
}

/** Numbers in their order, those that are not finite as texts. */
export function jsonNumbers(values: ArrayLike<number>): (number | string)[] {
  return Array.from(values, (value) => (Number.isFinite(value) ? value : String(value)));
}

function jsonCell(cell: TableCell): TableCell {
  return typeof cell === "number" && !Number.isFinite(cell) ? String(cell) : cell;
}

/** Values of single precision with no more digits than they have: 0.1 rather than 0.10000000149011612. */
export function shortNumbers(values: ArrayLike<number>): ArrayLike<number> {
  return values instanceof Float32Array ? Array.from(values, shortest) : values;
}

const [FEWEST, ENOUGH] = [6, 9];

function shortest(value: number): number {
  for (let digits = FEWEST; digits < ENOUGH; digits++) {
    const rounded = Number(value.toPrecision(digits));
    if (Math.fround(rounded) === value) return rounded;
  }
  return value;
}
