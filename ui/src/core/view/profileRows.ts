// SPDX-License-Identifier: Apache-2.0
import type { Filter } from "../text/textFilter";
import type { ColumnSort } from "../tables/columnSort";
import { wholeNumber } from "./queryValues";

/** Only rows with that text in that column; `within` means a module and all in it. */
export interface RowCondition {
  column: string;
  text: string;
}

/** What a table of a profile shows; all of it is in the address. */
export interface RowsView {
  /** By what rows are merged; empty for what the profile offers first. */
  group: string;
  /** The path that a person has drilled down. */
  where: readonly RowCondition[];
  filter: Filter;
  /** Null for the order by time. */
  sort: ColumnSort | null;
  /** Number of the selected row, in the order by time. */
  row: number | null;
}

/** Groupings that merge nothing; a row can't be opened further. */
export const EACH = "each";
const MOST_CONDITIONS = 16;

export function defaultRowsView(): RowsView {
  return { group: "", where: [], filter: { text: "", isRegex: false }, sort: null, row: null };
}

export function describeRows({ group, where, filter, sort, row }: RowsView, query: URLSearchParams): void {
  if (group !== "") query.append("rows_group", group);
  for (const { column, text } of where) query.append("rows_where", `${column}=${text}`);
  if (filter.text !== "") query.append(filter.isRegex ? "rows_regex" : "rows_filter", filter.text);
  if (sort) query.append("rows_sort", `${sort.isDescending ? "-" : ""}${sort.column}`);
  if (row !== null) query.append("rows_row", String(row));
}

/** Never fails: what a link says wrongly is as if it said nothing. */
export function rowsViewOf(query: URLSearchParams): RowsView {
  const regex = query.get("rows_regex");
  const row = wholeNumber(query.get("rows_row"));
  const sort = /^(?<sign>-?)(?<column>[a-z_]+)$/.exec(query.get("rows_sort") ?? "")?.groups;
  return {
    group: query.get("rows_group") ?? "",
    where: query.getAll("rows_where").flatMap(conditionOf).slice(0, MOST_CONDITIONS),
    filter: regex === null ? { text: query.get("rows_filter") ?? "", isRegex: false } : { text: regex, isRegex: true },
    sort: sort ? { column: sort.column!, isDescending: sort.sign === "-" } : null,
    row: row !== null && row >= 0 ? row : null,
  };
}

function conditionOf(text: string): RowCondition[] {
  const at = text.indexOf("=");
  return at > 0 && /^[a-z_]+$/.test(text.slice(0, at)) ? [{ column: text.slice(0, at), text: text.slice(at + 1) }] : [];
}

/** By what the rows that one opens are merged: types hold names, names hold single rows. */
const BELOW: Readonly<Record<string, string>> = { name: EACH, shapes: EACH };

/** The rows that a row merges; `texts` are its texts. Null for a row that merges none. */
export function drilledInto(view: RowsView, group: string, texts: Readonly<Record<string, string>>): RowsView | null {
  if (group === EACH) return null;
  const keys = group === "shapes" ? ["name", "shapes"] : [group];
  const known = new Set(view.where.map(({ column }) => column));
  const added = keys.filter((column) => !known.has(column)).map((column) => ({ column, text: texts[column] ?? "" }));
  return { ...defaultRowsView(), group: BELOW[group] ?? "name", where: [...view.where, ...added] };
}

/** The first `length` steps of the path, with the rows from which the next step was chosen. */
export function climbedTo(view: RowsView, length: number): RowsView {
  const next = view.where[length]?.column ?? "";
  return { ...defaultRowsView(), group: next === "within" ? "" : next, where: view.where.slice(0, length) };
}
