// SPDX-License-Identifier: Apache-2.0
import type { ColumnSort } from "../tables/columnSort";
import { layoutParams } from "./columnLayoutQuery";
import { fields, list, oneOf, param, type Codec, type ValueOf } from "./schema";

/** Every run that the conditions let through, only the selected ones of them, or those that are not selected. */
export const TABLE_ROWS = ["all", "selected", "unselected"] as const;

const SORT: Codec<ColumnSort> = {
  read: (text) => (/^[-+ ]./s.test(text) ? { column: text.slice(1), isDescending: text.startsWith("-") } : null),
  write: ({ column, isDescending }) => `${isDescending ? "-" : "+"}${column}`,
};

/** Columns, rows and order of the table of runs, the same on every page that has it. */
export const TABLE_VIEW = fields({
  ...layoutParams(""),
  /** Empty for the order of the page. */
  sort: list("sort", SORT),
  rows: param("rows", oneOf(TABLE_ROWS), "all"),
});
export type TableView = ValueOf<typeof TABLE_VIEW>;
