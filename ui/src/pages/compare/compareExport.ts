// SPDX-License-Identifier: Apache-2.0
import { planOfTag } from "../../core/view/chartPlan";
import type { FigureRow } from "../../core/tables/figureTable";
import { runLine } from "../../core/tables/groupFigures";
import { t } from "../../i18n/i18n.svelte";
import type { CardContent, NamedRun, PlannedCard, PlannedSection, Setting, ViewPlan } from "../../export/html/model";
import { comparison } from "../../state/charts/groupComparison.svelte";
import { readStatistics } from "../../state/data/exportReads";
import { selection } from "../../state/view/selection.svelte";
import type { TagRuns } from "../../state/data/tags.svelte";
import { view } from "../../state/view/view.svelte";
import { tableContent, type PlannedColumn } from "../../export/tablePart";
import { drawingSize } from "../../export/curvesPart";
import { countLines, curveSettings, scalarCards } from "../../export/scalarCards";
import { filterSetting, holdersOf, namedRuns, sectionsOf } from "../../export/selectedRuns";
import { compareColumns, compareRows, compareText, ownColumns, type CompareColumn } from "./compareColumns";
import { groupCards } from "./groupExport";

/** Runs compared: their charts, those of their groups, or the table of their figures. */
export function compareExport(full: TagRuns | undefined, matching: readonly TagRuns[]): ViewPlan {
  const { isTable } = view.comparing;
  const tags = full && !isTable ? [full] : matching;
  const size = drawingSize(tags.length);
  const plans = tags.map(planOfTag);
  const cards = (some: readonly TagRuns[]): PlannedCard[] =>
    comparison.isGrouped
      ? groupCards(some, size, tags.length)
      : scalarCards(some.map(planOfTag), view.comparing.baseline, size, countLines(plans));
  const sections: PlannedSection[] = isTable
    ? [{ title: t("compare.table"), cards: [tableCard(tags.map(({ tag }) => tag))] }]
    : sectionsOf("scalars", tags, cards);
  return {
    page: "compare",
    title: t("nav.compare"),
    runs: legend(tags),
    settings: [...comparing(), ...(isTable ? filterSetting() : curveSettings())],
    sections,
  };
}

/** Charts of groups have the colors of the groups. */
function legend(tags: readonly TagRuns[]): NamedRun[] {
  if (view.comparing.isTable) return namedRuns(selection.shown);
  if (!comparison.isGrouped) return holdersOf(tags);
  return comparison.groups.map(({ key, runs }) => ({
    name: key,
    color: comparison.colorOf(key),
    state: t("compare.runs", { n: runs.length }),
  }));
}

function comparing(): Setting[] {
  const { grouping, parameters, center, spread, baseline } = view.comparing;
  const group =
    grouping === "parameter" ? t("compare.group_parameter", { parameter: parameters.join(" × ") }) : t(`compare.group_${grouping}`);
  return [
    ...(comparison.isGrouped
      ? [
          { name: t("compare.group"), value: group },
          { name: t("compare.center"), value: t(`compare.center_${center}`) },
          { name: t("compare.spread"), value: t(`compare.spread_${spread}`) },
        ]
      : []),
    ...(baseline === null ? [] : [{ name: t("compare.baseline"), value: baseline }]),
  ];
}

function tableCard(tags: readonly string[]): PlannedCard {
  return { title: t("compare.table"), run: null, isWide: true, make: (signal) => readTable(tags, signal) };
}

async function readTable(tags: readonly string[], signal: AbortSignal): Promise<CardContent> {
  const groups = new Map(comparison.groups.flatMap(({ key, runs }) => runs.map((run) => [run, key] as const)));
  const columns = compareColumns(ownColumns(tags), tags);
  const { series } = await readStatistics(selection.shown, tags, signal);
  const rows = compareRows(columns, series);
  const run: PlannedColumn<FigureRow> = { title: t("compare.run"), isNumber: false, value: (row) => row.run, text: (row) => row.run };
  return tableContent(t("compare.table"), [run, ...columns.map(planned)], rows, (row) =>
    comparison.colorOf(groups.get(row.run) ?? row.run),
  );
}

function planned(column: CompareColumn, place: number): PlannedColumn<FigureRow> {
  const { title, band, isNumber } = column;
  return {
    title,
    group: band?.title ?? "",
    isNumber,
    value: ({ cells }) => cells[place] ?? null,
    text: (row) => compareText(runLine(row), column, place),
  };
}
