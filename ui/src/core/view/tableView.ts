// SPDX-License-Identifier: Apache-2.0
import { defaultLayout, type ColumnLayout } from "../tables/columnLayout";
import type { ColumnSort } from "../tables/columnSort";
import { describeLayout, layoutOf } from "./columnLayoutQuery";
import { unique } from "./queryValues";

/** Every run that the conditions let through, only the selected ones of them, or those that are not selected. */
export const TABLE_ROWS = ["all", "selected", "unselected"] as const;
export type TableRows = (typeof TABLE_ROWS)[number];

/** Columns, rows and order of the table of runs, the same on every page that has it; all of it is in the address. */
export interface TableView extends ColumnLayout {
  /** Empty for the order of the page. */
  sort: readonly ColumnSort[];
  rows: TableRows;
}

export function defaultTableView(): TableView {
  return { ...defaultLayout(), sort: [], rows: "all" };
}

export function describeTable(view: TableView, query: URLSearchParams): void {
  describeLayout(view, query);
  for (const { column, isDescending } of view.sort) query.append("sort", `${isDescending ? "-" : "+"}${column}`);
  if (view.rows !== "all") query.append("rows", view.rows);
}

/** Never fails: what a link says wrongly is as if it said nothing. */
export function tableViewOf(query: URLSearchParams): TableView {
  return {
    ...layoutOf(query),
    sort: unique(query.getAll("sort"))
      .filter((text) => /^[-+ ]./s.test(text))
      .map((text) => ({ column: text.slice(1), isDescending: text.startsWith("-") })),
    rows: TABLE_ROWS.find((rows) => rows === query.get("rows")) ?? "all",
  };
}
