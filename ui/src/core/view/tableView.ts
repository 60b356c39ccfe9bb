// SPDX-License-Identifier: Apache-2.0
import { defaultLayout, type ColumnLayout } from "../tables/columnLayout";
import type { ColumnSort } from "../tables/columnSort";
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
  if (view.isChosen) query.append("columns", "chosen");
  for (const column of view.added) query.append("with", column);
  for (const column of view.hidden) query.append("hidden", column);
  for (const column of view.order) query.append("column", column);
  for (const column of view.pinned) query.append("fixed", column);
  for (const [column, width] of Object.entries(view.widths)) query.append("width", `${width}:${column}`);
  for (const { column, isDescending } of view.sort) query.append("sort", `${isDescending ? "-" : "+"}${column}`);
  if (view.rows !== "all") query.append("rows", view.rows);
}

/** Never fails: what a link says wrongly is as if it said nothing. */
export function tableViewOf(query: URLSearchParams): TableView {
  const listed = (name: string): string[] => unique(query.getAll(name));
  return {
    isChosen: query.get("columns") === "chosen",
    added: listed("with"),
    hidden: listed("hidden"),
    order: listed("column"),
    pinned: listed("fixed"),
    widths: Object.fromEntries(listed("width").flatMap((text) => widthOf(text))),
    sort: listed("sort")
      .filter((text) => /^[-+ ]./s.test(text))
      .map((text) => ({ column: text.slice(1), isDescending: text.startsWith("-") })),
    rows: TABLE_ROWS.find((rows) => rows === query.get("rows")) ?? "all",
  };
}

function widthOf(text: string): [string, number][] {
  const [, width, column] = /^(\d{1,4}):(.+)$/s.exec(text) ?? [];
  return width !== undefined && column !== undefined ? [[column, Number(width)]] : [];
}
