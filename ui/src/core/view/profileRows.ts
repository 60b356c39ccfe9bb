// SPDX-License-Identifier: Apache-2.0
import { columnSort, fields, filter, natural, optional, param, text, type Codec, type Param, type ValueOf } from "./schema";

/** Only rows with that text in that column; `within` means a module and all in it. */
export interface RowCondition {
  column: string;
  text: string;
}

/** Groupings that merge nothing; a row can't be opened further. */
export const EACH = "each";
const MOST_CONDITIONS = 16;

const CONDITION: Codec<RowCondition> = {
  read: (condition) => {
    const at = condition.indexOf("=");
    const column = condition.slice(0, Math.max(0, at));
    return /^[a-z_]+$/.test(column) ? { column, text: condition.slice(at + 1) } : null;
  },
  write: ({ column, text }) => `${column}=${text}`,
};

const CONDITIONS: Param<readonly RowCondition[]> = {
  defaultValue: [],
  read: (query) =>
    query
      .getAll("rows_where")
      .flatMap((condition) => CONDITION.read(condition) ?? [])
      .slice(0, MOST_CONDITIONS),
  write: (conditions, query) => conditions.forEach((condition) => query.append("rows_where", CONDITION.write(condition))),
};

/** What a table of a profile shows. */
export const ROWS_VIEW = fields({
  /** By what rows are merged; empty for what the profile offers first. */
  group: param("rows_group", text, ""),
  /** The path that a person has drilled down. */
  where: CONDITIONS,
  filter: filter("rows_filter", "rows_regex"),
  /** Null for the order by time. */
  sort: optional("rows_sort", columnSort),
  /** Number of the selected row, in the order by time. */
  row: optional("rows_row", natural),
});
export type RowsView = ValueOf<typeof ROWS_VIEW>;

/** By what the rows that one opens are merged: types hold names, names hold single rows. */
const BELOW: Readonly<Record<string, string>> = { name: EACH, shapes: EACH };

/** The rows that a row merges; `texts` are its texts. Null for a row that merges none. */
export function drilledInto(view: RowsView, group: string, texts: Readonly<Record<string, string>>): RowsView | null {
  if (group === EACH) return null;
  const keys = group === "shapes" ? ["name", "shapes"] : [group];
  const known = new Set(view.where.map(({ column }) => column));
  const added = keys.filter((column) => !known.has(column)).map((column) => ({ column, text: texts[column] ?? "" }));
  return { ...ROWS_VIEW.defaultValue, group: BELOW[group] ?? "name", where: [...view.where, ...added] };
}

/** The first `length` steps of the path, with the rows from which the next step was chosen. */
export function climbedTo(view: RowsView, length: number): RowsView {
  const next = view.where[length]?.column ?? "";
  return { ...ROWS_VIEW.defaultValue, group: next === "within" ? "" : next, where: view.where.slice(0, length) };
}
