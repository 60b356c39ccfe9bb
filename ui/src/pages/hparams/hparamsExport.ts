// SPDX-License-Identifier: Apache-2.0
import { formatSetting } from "../../core/text/format";
import { shownColumns, sortRows, type HparamCell, type HparamColumn, type HparamRow } from "../../core/runs/hparamTable";
import { matcherFor } from "../../core/text/textFilter";
import { t } from "../../i18n/i18n.svelte";
import type { CardContent, ViewPlan } from "../../export/html/model";
import { colors } from "../../state/view/runColors.svelte";
import { readHparams } from "../../state/data/exportReads";
import { searchedText, selection } from "../../state/view/selection.svelte";
import { view } from "../../state/view/view.svelte";
import { tableContent, type PlannedColumn } from "../../export/tablePart";
import { filterSetting, namedRuns } from "../../export/selectedRuns";

/** The table of parameters and results, in the order and with the columns of the page. */
export function hparamsExport(): ViewPlan {
  const shown = view.runs === null ? selection.matching.map(({ id }) => id) : selection.shown;
  const title = t("nav.hparams");
  const settings = [
    ...filterSetting(view.list.filter),
    { name: t("hparams.columns"), value: t(view.values.showsEqual ? "hparams.all_columns" : "hparams.different") },
  ];
  return {
    page: "parameters",
    title,
    runs: namedRuns(shown),
    settings,
    sections: [{ title, cards: [{ title, run: null, isWide: true, make: (signal) => readTable(shown, signal) }] }],
  };
}

async function readTable(shown: readonly string[], signal: AbortSignal): Promise<CardContent> {
  const table = await readHparams(shown, signal);
  const { matches } = matcherFor(view.list.filter);
  const sorted = sortRows(
    table,
    table.rows.filter(({ run }) => matches(searchedText(run))),
    view.values.sort,
  );
  if (sorted.length === 0)
    return {
      facts: [],
      parts: [{ kind: "notice", tone: "note", text: t(table.rows.length === 0 ? "hparams.empty" : "hparams.no_match") }],
    };
  const run: PlannedColumn<HparamRow> = { title: t("tip.run"), isNumber: false, value: (row) => row.run, text: (row) => row.run };
  const columns = shownColumns(table, view.values.showsEqual).map((column) => columnOf(column, sorted));
  return tableContent(t("nav.hparams"), [run, ...columns], sorted, (row) => colors.of(row.run));
}

function columnOf({ column, index }: { column: HparamColumn; index: number }, rows: readonly HparamRow[]): PlannedColumn<HparamRow> {
  const value = ({ cells }: HparamRow): HparamCell => cells[index] ?? null;
  const group = t(`hparams.role_${column.role as "parameter" | "metric" | "custom"}`);
  return {
    title: column.name,
    group,
    isNumber: rows.some((row) => typeof value(row) === "number"),
    value,
    text: (row) => cellText(value(row)),
  };
}

function cellText(cell: HparamCell): string {
  return typeof cell === "number" ? formatSetting(cell) : cell === null ? "–" : String(cell);
}
