// SPDX-License-Identifier: Apache-2.0
import type { Schemas } from "../messages/message";
import type { Reason } from "../text/reason";
import type { LineageCell, LineageColumn } from "./column";

/** All runs and all columns; `cells` of a column are in the order of `runs`. Immutable. */
export interface LineageTable {
  cursor: string;
  runs: readonly string[];
  rowOf: ReadonlyMap<string, number>;
  columns: ReadonlyMap<string, LineageColumn>;
  /** Settings files and runs that can't be read. */
  problems: readonly Reason[];
}

/** An answer of the server: all rows, or those that are different since a cursor. */
export type LineageAnswer = Readonly<Omit<Schemas["LineageAnswer"], "columns"> & { columns: readonly LineageColumn[] }>;

/** The table after an answer to the cursor of `known`. */
export function renewedTable(known: LineageTable | undefined, answer: LineageAnswer): LineageTable {
  const { cursor, problems } = answer;
  const runs = answer.order ?? known?.runs ?? answer.runs;
  const base = answer.is_whole ? undefined : known;
  const rowOf = base && answer.order === null ? base.rowOf : new Map(runs.map((run, row) => [run, row]));
  const columns = answer.columns.map((column) => [column.id, { ...column, cells: cellsOf(column, base, answer, runs, rowOf) }] as const);
  return { cursor, runs, rowOf, columns: new Map(columns), problems };
}

function cellsOf(
  column: LineageColumn,
  base: LineageTable | undefined,
  answer: LineageAnswer,
  runs: readonly string[],
  rowOf: ReadonlyMap<string, number>,
): readonly LineageCell[] {
  if (base === undefined && answer.runs.length === runs.length) return column.cells;
  const before = base?.columns.get(column.id)?.cells;
  const isSameOrder = base !== undefined && base.runs === runs;
  if (isSameOrder && before && column.cells.length === 0) return before;
  const cells = isSameOrder ? [...(before ?? runs.map(() => null))] : runs.map((run) => before?.[base?.rowOf.get(run) ?? -1] ?? null);
  answer.runs.forEach((run, place) => {
    const row = rowOf.get(run);
    if (row !== undefined) cells[row] = column.cells[place] ?? null;
  });
  return cells;
}

/** The rank of each row by a target, from 1 for the best; equal values share a rank, rows without a finite value have none. */
export function ranksOf(numbers: Float64Array, goal: "max" | "min"): (number | null)[] {
  const sign = goal === "max" ? -1 : 1;
  const sorted = [...numbers.filter(Number.isFinite)].sort((one, other) => sign * (one - other));
  const ranks = new Map<number, number>();
  sorted.forEach((value, place) => {
    if (!ranks.has(value)) ranks.set(value, place + 1);
  });
  return Array.from(numbers, (value) => ranks.get(value) ?? null);
}

/** The best finite value so far in the order of `starts`, for each row; null for rows before the first one or without a start. */
export function bestSoFar(numbers: Float64Array, starts: Float64Array, goal: "max" | "min"): (number | null)[] {
  const best: (number | null)[] = Array.from(numbers, () => null);
  const order = [...numbers.keys()].filter((row) => Number.isFinite(starts[row])).sort((one, other) => starts[one]! - starts[other]!);
  let top: number | null = null;
  for (const row of order) {
    const value = numbers[row]!;
    if (Number.isFinite(value) && (top === null || (goal === "max" ? value > top : value < top))) top = value;
    best[row] = top;
  }
  return best;
}
