// SPDX-License-Identifier: Apache-2.0
import { fields, flag, optional, param, text, type ValueOf } from "./schema";

/** What the page Query looks like. */
export const SQL_VIEW = fields({
  statement: param("sql", text, ""),
  hasChart: flag("sql_chart", "shown"),
  /** Titles of columns: the chart's axes, and the column that divides its lines; null for the first that fit. */
  x: optional("sql_x", text),
  y: optional("sql_y", text),
  by: optional("sql_by", text),
});
export type SqlView = ValueOf<typeof SQL_VIEW>;
