// SPDX-License-Identifier: Apache-2.0
import { cellText, numberOf } from "../../core/lineage/column";
import type { TableCell } from "../../core/tables/json";
import { t } from "../../i18n/i18n.svelte";
import type { CardContent, Setting, ViewPlan } from "../../export/html/model";
import { filterSetting, namedRuns } from "../../export/selectedRuns";
import { tableContent, type PlannedColumn } from "../../export/tablePart";
import { colors } from "../../state/view/runColors.svelte";
import { modelLineage } from "../../state/view/modelLineage.svelte";
import { view } from "../../state/view/view.svelte";
import { groupWords } from "../../widgets/tables/lineageWords";
import type { ShownColumn } from "./shownColumns";

/** The table of the page, with its rows and columns in their order. */
export function lineageExport(columns: readonly ShownColumn[]): ViewPlan {
  const title = t("nav.model_lineage");
  const rows = modelLineage.rows;
  const { where } = view.list;
  const settings: Setting[] = [
    ...filterSetting(view.list.filter),
    ...(where.trim() === "" ? [] : [{ name: t("lineage.where"), value: where }]),
    ...(modelLineage.target ? [{ name: t("lineage.target"), value: modelLineage.target.id }] : []),
  ];
  return {
    page: "lineage",
    title,
    runs: namedRuns(rows.map((row) => modelLineage.runOf(row))),
    settings,
    sections: [{ title, cards: [{ title, run: null, isWide: true, make: () => Promise.resolve(content(columns, rows)) }] }],
  };
}

function content(columns: readonly ShownColumn[], rows: readonly number[]): CardContent {
  if (rows.length === 0) return { facts: [], parts: [{ kind: "notice", tone: "note", text: t("runs.no_match") }] };
  const runOf = (row: number): string => modelLineage.runOf(row);
  const run: PlannedColumn<number> = { title: t("tip.run"), isNumber: false, value: runOf, text: runOf };
  return tableContent(t("nav.model_lineage"), [run, ...columns.map(planned)], rows, (row) => colors.of(runOf(row)));
}

function planned(column: ShownColumn): PlannedColumn<number> {
  const group = groupWords(column);
  return {
    title: column.title,
    group,
    isNumber: column.isNumber,
    value: (row) => plain(column, row),
    text: (row) => column.text(column.cell(row)),
  };
}

function plain(column: ShownColumn, row: number): TableCell {
  const cell = column.cell(row);
  if (typeof cell === "boolean" || cell === null) return cell;
  return numberOf(cell) ?? cellText(cell);
}
