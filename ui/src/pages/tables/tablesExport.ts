// SPDX-License-Identifier: Apache-2.0
import { fileKind, recordedColumns, recordedText } from "../../core/tables/recordedTable";
import { groupDigits } from "../../core/text/format";
import { savedMedia, type ShownValue } from "../../export/stepCards";
import type { CardContent, TableRow } from "../../export/html/model";
import { t } from "../../i18n/i18n.svelte";
import { readTable } from "../../state/data/exportReads";
import { valueLists, type TablePage, type TableQuery, type ValueList } from "../../state/data/values.svelte";
import { view } from "../../state/view/view.svelte";

/** More rows are not in the file. */
const MOST_ROWS = 500;
const AS_RECORDED: TableQuery = { where: "", search: "", sort: null };

export const tableMedia = savedMedia({
  source: valueLists("table"),
  read: (shown, signal) => read(shown, AS_RECORDED, signal),
  readFull: (shown, signal) => read(shown, shownRows(), signal),
  isFullWide: true,
});

function shownRows(): TableQuery {
  const { rowsWhere: where, rowsSearch: search, rowsSort: sort } = view.values;
  return { where, search, sort };
}

async function read({ key, step }: ShownValue<ValueList>, rows: TableQuery, signal: AbortSignal): Promise<CardContent> {
  const page = await readTable(key, rows, 0, MOST_ROWS, signal);
  const columns = recordedColumns(page).map(({ title, isNumber }) => ({ title, isNumber }));
  const isCut = page.matching > page.rows.length;
  return {
    facts: [
      isCut
        ? t("tables.saved_rows", { n: page.rows.length, total: groupDigits(page.matching) })
        : t("tables.count", { n: page.matching, rows: groupDigits(page.matching) }),
    ],
    parts: [
      {
        kind: "table",
        label: t("tables.label", { tag: key.tag, run: key.run, step }),
        columns: [{ title: t("tables.row"), isNumber: true }, ...columns],
        rows: page.rows.map((row, offset) => rowOf(page, row, offset)),
      },
    ],
  };
}

function rowOf({ columns, media }: TablePage, row: number, offset: number): TableRow {
  const cells = columns.map(({ type, values }) => {
    const value = values[offset] ?? null;
    const isFile = type === "media" && typeof value === "number";
    return { text: isFile ? t(`tables.${fileKind(media, value)}`, { n: value + 1 }) : recordedText(value), value };
  });
  return { color: null, cells: [{ text: groupDigits(row + 1), value: row + 1 }, ...cells] };
}
