// SPDX-License-Identifier: Apache-2.0
import type { Schemas } from "../messages/message";
import { formatSetting } from "../text/format";
import { compareNames } from "../text/naturalSort";

/** A value of a run: null if the run has none. A number that JSON can't represent is given by its name, as NaN is. */
export type LineageCell = null | boolean | number | string | readonly LineageCell[] | { readonly number: string };

/** A column of the lineage table; cells are one for each run. */
export type LineageColumn = Readonly<Omit<Schemas["LineageColumn"], "cells"> & { cells: readonly LineageCell[] }>;
export type ColumnGroup = LineageColumn["group"];
export type ColumnKind = LineageColumn["kind"];
export type Goal = LineageColumn["goal"];

export type ScaleKind = "linear" | "log" | "category";

/** Numeric columns with at most as many distinct values may be categories. */
const FEW_VALUES = 12;
/** Categories of numbers are shared by that many runs each, in the mean. */
const RUNS_A_VALUE = 2;
/** High and low of a logarithmic axis are at least two decades apart. */
const LOG_SPAN = 100;
/** Half of its values are below this share of the range: evenly spread values are no reason for a logarithm. */
const LOG_MIDDLE = 0.25;

export function isMissing(cell: LineageCell): cell is null {
  return cell === null;
}

/** A number as float64; null for a cell of another type. NaN and infinite values are themselves. */
export function numberOf(cell: LineageCell): number | null {
  if (typeof cell === "number") return cell;
  return cell !== null && typeof cell === "object" && "number" in cell ? Number(cell.number) : null;
}

const numbers = new WeakMap<readonly LineageCell[], Float64Array>();

/** The numbers of a column, one for each run; NaN for missing cells and cells of other types. */
export function numbersOf({ cells }: Pick<LineageColumn, "cells">): Float64Array {
  let known = numbers.get(cells);
  if (!known) {
    known = Float64Array.from(cells, (cell) => numberOf(cell) ?? NaN);
    numbers.set(cells, known);
  }
  return known;
}

/** A cell as text: texts unchanged, numbers in all digits, lists as JSON; "" for a missing cell. */
export function cellText(cell: LineageCell): string {
  if (cell === null) return "";
  return typeof cell === "string" ? cell : jsonText(cell);
}

/** A cell to read: numbers in up to five digits, also those in lists. */
export function shortCellText(cell: LineageCell): string {
  if (!isList(cell)) return typeof cell === "number" ? formatSetting(cell) : cellText(cell);
  return `[${cell.map((each) => (typeof each === "number" || isList(each) ? shortCellText(each) : jsonText(each))).join(", ")}]`;
}

function jsonText(cell: LineageCell): string {
  if (isList(cell)) return `[${cell.map(jsonText).join(", ")}]`;
  if (cell !== null && typeof cell === "object") return cell.number;
  return typeof cell === "string" ? JSON.stringify(cell) : String(cell);
}

function isList(cell: LineageCell): cell is readonly LineageCell[] {
  return Array.isArray(cell);
}

/** Numbers by size, false before true, texts as people count; different types in this order, lists last. */
export function compareCells(one: LineageCell, other: LineageCell): number {
  const [rank, otherRank] = [rankOf(one), rankOf(other)];
  if (rank !== otherRank) return rank - otherRank;
  if (rank === 0) {
    const [left, right] = [numberOf(one) ?? 0, numberOf(other) ?? 0];
    return left === right ? 0 : left - right; // equal infinities have no difference
  }
  return compareNames(cellText(one), cellText(other));
}

function rankOf(cell: LineageCell): number {
  const number = numberOf(cell);
  if (number !== null) return Number.isNaN(number) ? 1 : 0;
  if (typeof cell === "boolean") return 2;
  return isList(cell) ? 4 : 3;
}

/** Distinct values of rows (all rows by default) without missing ones, in natural order. Two cells of one text are one value. */
export function distinctCells({ cells }: Pick<LineageColumn, "cells">, rows?: ArrayLike<number>): LineageCell[] {
  const found = new Map<string, LineageCell>();
  for (let index = 0; index < (rows ?? cells).length; index++) {
    const cell = cells[rows ? rows[index]! : index]!;
    if (cell !== null) found.set(cellText(cell), cell);
  }
  return [...found.values()].sort(compareCells);
}

const valueCounts = new WeakMap<readonly LineageCell[], number>();

/** How many distinct values a column has, without missing ones. */
export function countValues({ cells }: Pick<LineageColumn, "cells">): number {
  const known = valueCounts.get(cells);
  if (known !== undefined) return known;
  const count = new Set(cells.filter((cell) => cell !== null).map(cellText)).size;
  valueCounts.set(cells, count);
  return count;
}

/** The scale that shows a column best: logarithmic for positive values over two decades, categories for few values and for texts. */
export function suggestScale(column: LineageColumn): ScaleKind {
  if (column.kind !== "int" && column.kind !== "float") return "category";
  const finite = numbersOf(column).filter(Number.isFinite);
  if (finite.length === 0) return "category";
  if (!isMeasured(column) && hasFewValues(finite)) return "category";
  const sorted = finite.sort();
  const [low, high, middle] = [sorted[0]!, sorted.at(-1)!, sorted[Math.floor((sorted.length - 1) / 2)]!];
  return low > 0 && high / low >= LOG_SPAN && middle < low + (high - low) * LOG_MIDDLE ? "log" : "linear";
}

/** Results vary freely, even where a few runs agree. */
function isMeasured({ group }: LineageColumn): boolean {
  return group === "metric" || group === "scalar";
}

function hasFewValues(finite: Float64Array): boolean {
  const distinct = new Set<number>();
  for (const value of finite) {
    distinct.add(value);
    if (distinct.size > FEW_VALUES) return false;
  }
  return distinct.size === 1 || finite.length >= RUNS_A_VALUE * distinct.size;
}
