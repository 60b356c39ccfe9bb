// SPDX-License-Identifier: Apache-2.0
import { COLUMN_GROUPS } from "../../core/lineage/tableColumns";
import type { ColumnGroup, LineageColumn } from "../../core/lineage/column";
import type { LineageTable } from "../../core/lineage/lineageTable";
import type { CardContent } from "../../export/html/model";
import { t } from "../../i18n/i18n.svelte";
import { lineage } from "../../state/data/lineage.svelte";
import { cellWords, columnTitle } from "../../widgets/tables/lineageWords";
import type { SavedPreview } from "./kind";

/** A value of the lineage of a run in words. */
export interface LineageField {
  column: LineageColumn;
  name: string;
  text: string;
}

const SHOWN: readonly ColumnGroup[] = [
  "metric",
  ...COLUMN_GROUPS.filter((group) => group !== "metric" && group !== "fact" && group !== "scalar"),
];

/** What a run was set to and what came out, results first; facts of the run are elsewhere. */
export function lineageFields(table: LineageTable, run: string): LineageField[] {
  const row = table.rowOf.get(run);
  if (row === undefined) return [];
  const columns = SHOWN.flatMap((group) => [...table.columns.values()].filter((column) => column.group === group));
  return columns.flatMap((column) => {
    const cell = column.cells[row] ?? null;
    return cell === null ? [] : [{ column, name: columnTitle(column), text: cellWords(column, cell) }];
  });
}

export const savedLineage: SavedPreview = ({ run }) => Promise.resolve(content(lineage.table ? lineageFields(lineage.table, run) : []));

function content(fields: readonly LineageField[]): CardContent {
  const rows = fields.map(({ name, text }) => ({
    color: null,
    cells: [
      { text: name, value: name },
      { text, value: text },
    ],
  }));
  const columns = [
    { title: t("dashboard.lineage"), isNumber: false },
    { title: "", isNumber: false },
  ];
  return { facts: [], parts: [{ kind: "table", label: t("dashboard.lineage"), columns, rows }] };
}
