// SPDX-License-Identifier: Apache-2.0
import { groupDigits } from "../core/text/format";
import type { TableCell } from "../core/tables/json";
import { t } from "../i18n/i18n.svelte";
import type { CardContent } from "./html/model";

/** Most rows of a table in a file; more would make it too long to read. */
const MOST_ROWS = 5_000;

/** A column of a table: what it is called, what it holds of a row, and how that is written. */
export interface PlannedColumn<Row> {
  title: string;
  /** Written above the title. */
  group?: string;
  isNumber: boolean;
  value: (row: Row) => TableCell;
  text: (row: Row) => string;
}

/** A table as the content of a card; the first column names its rows. A fact counts the omitted rows. */
export function tableContent<Row>(
  label: string,
  columns: readonly PlannedColumn<Row>[],
  rows: readonly Row[],
  color: (row: Row) => string | null,
): CardContent {
  const shown = rows
    .slice(0, MOST_ROWS)
    .map((row) => ({ color: color(row), cells: columns.map(({ value, text }) => ({ value: value(row), text: text(row) })) }));
  const rest = rows.length > MOST_ROWS ? [t("saved.first_rows", { shown: groupDigits(MOST_ROWS), total: groupDigits(rows.length) })] : [];
  const heads = columns.map(({ title, group = "", isNumber }) => ({ title, group, isNumber }));
  return { facts: rest, parts: [{ kind: "table", label, columns: heads, rows: shown }] };
}
