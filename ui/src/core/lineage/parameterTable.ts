// SPDX-License-Identifier: Apache-2.0
import { cellText, numberOf, type ColumnGroup, type LineageCell, type LineageColumn } from "./column";
import type { LineageTable } from "./lineageTable";

export type ParameterCell = number | boolean | string | null;

/** A column of the lineage over some runs. */
export interface Parameter {
  /** The id of the column. */
  key: string;
  /** The name; with its group if that is none of what people set or add. */
  name: string;
  group: ColumnGroup;
  differs: boolean;
}

/** What some runs were set to, with plain cells: those of a run are in the order of the columns. */
export interface ParameterTable {
  columns: readonly Parameter[];
  cells: ReadonlyMap<string, readonly ParameterCell[]>;
}

/** What runs can be grouped and named by. */
export const SETTING_GROUPS: readonly ColumnGroup[] = ["parameter", "dataset", "algorithm", "custom"];
/** MindSpore has the last loss beside the network. */
const RESULTS: readonly string[] = ["algorithm/loss"];

/** Whether people set the values of a column; others are measured. */
export function isSetting({ id, group }: Pick<LineageColumn, "id" | "group">): boolean {
  return SETTING_GROUPS.includes(group) && !RESULTS.includes(id);
}

/** Columns of `groups` that one of `runs` has: those that differ first, each part with the columns of most runs first. */
export function parameterTable(table: LineageTable, runs: readonly string[], groups = SETTING_GROUPS): ParameterTable {
  const rows = runs.map((run) => table.rowOf.get(run) ?? -1);
  const columns = [...table.columns.values()]
    .filter(({ id, group }) => groups.includes(group) && (groups.includes("metric") || !RESULTS.includes(id)))
    .map((column) => ({ column, ...valuesOf(column, rows) }))
    .filter(({ count }) => count > 0)
    .sort((one, other) => Number(other.differs) - Number(one.differs) || other.count - one.count);
  return {
    columns: columns.map(({ column, differs }) => ({ ...named(column), differs })),
    cells: new Map(runs.map((run, place) => [run, columns.map(({ column }) => plainCell(column.cells[rows[place]!] ?? null))] as const)),
  };
}

function named({ id, group, name }: LineageColumn): Omit<Parameter, "differs"> {
  const isOwn = group === "parameter" || group === "custom" || group === "metric";
  return { key: id, name: isOwn ? name : id, group };
}

function valuesOf({ cells }: LineageColumn, rows: readonly number[]): { count: number; differs: boolean } {
  const found = rows.map((row) => cells[row] ?? null);
  const present = found.filter((cell) => cell !== null);
  return { count: present.length, differs: new Set(present.map(cellText)).size + Number(present.length < found.length) > 1 };
}

/** Numbers, NaN and infinities as numbers; integers that a float64 can't hold and lists as text. */
export function plainCell(cell: LineageCell): ParameterCell {
  if (cell === null || typeof cell === "boolean" || typeof cell === "string") return cell;
  const number = numberOf(cell);
  return number === null || (Number.isFinite(number) && typeof cell !== "number") ? cellText(cell) : number;
}
