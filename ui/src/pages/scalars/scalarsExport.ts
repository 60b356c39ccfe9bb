// SPDX-License-Identifier: Apache-2.0
import "./groupWords";
import type { FigureRow } from "../../core/tables/figureTable";
import { runLine } from "../../core/tables/groupFigures";
import { facetPlans, planOfTag, type ChartPlan } from "../../core/view/chartPlan";
import { DIRECTORY } from "../../core/view/compareView";
import type { LayoutSection } from "../../core/view/layoutPlan";
import { drawingSize } from "../../export/curvesPart";
import type { CardContent, NamedRun, PlannedCard, PlannedSection, Setting, ViewPlan } from "../../export/html/model";
import { countLines, curveSettings, scalarCards } from "../../export/scalarCards";
import { filterSetting, holdersOf, namedRuns, sectionsOf } from "../../export/selectedRuns";
import { tableContent, type PlannedColumn } from "../../export/tablePart";
import { t } from "../../i18n/i18n.svelte";
import { comparison, seriesStatistics } from "../../state/charts/groupComparison.svelte";
import { readOnce } from "../../state/requests/resourceCache";

import type { TagRuns } from "../../state/data/tags.svelte";
import { selection } from "../../state/view/selection.svelte";
import { view } from "../../state/view/view.svelte";
import { groupCards } from "./groupExport";
import { cellText, ownColumns, scalarColumns, scalarRows, type ScalarColumn } from "./table/scalarColumns";

/** The charts that match, also those that are far from sight; the one in full screen, or the table, where there is one. */
export function scalarsExport(
  full: ChartPlan | undefined,
  matching: readonly TagRuns[],
  composed: readonly ChartPlan[],
  layout: readonly LayoutSection[] | null = null,
): ViewPlan {
  const { isTable } = view.comparing;
  const listed = layout?.flatMap(({ plans }) => plans) ?? matching.map(planOfTag);
  const all = full ? [full] : [...composed, ...listed].flatMap(faceted);
  return {
    page: "scalars",
    title: t("nav.scalars"),
    runs: isTable ? namedRuns(selection.shown) : legend(all),
    settings: [...comparing(), ...(isTable ? filterSetting() : curveSettings())],
    sections: isTable
      ? [{ title: t("compare.table"), cards: [tableCard(matching.map(({ tag }) => tag))] }]
      : chartSections(full, matching, composed, layout, all),
  };
}

function chartSections(
  full: ChartPlan | undefined,
  matching: readonly TagRuns[],
  composed: readonly ChartPlan[],
  layout: readonly LayoutSection[] | null,
  all: readonly ChartPlan[],
): PlannedSection[] {
  const [size, lines] = [drawingSize(all.length), countLines(all)];
  const cards = (plans: readonly ChartPlan[]): PlannedCard[] =>
    comparison.isGrouped ? groupCards(plans, size, lines) : scalarCards(plans, view.comparing.baseline, size, lines);
  if (full) return [{ title: full.title, cards: cards([full]) }];
  return [
    ...(composed.length > 0 ? [{ title: t("scalars.composed"), cards: cards(composed.flatMap(faceted)) }] : []),
    ...(layout?.map(({ title, plans }) => ({ title, cards: cards(plans.flatMap(faceted)) })) ??
      sectionsOf(
        matching.map((one) => ({ ...one, kind: "scalars" })),
        (tags) => cards(tags.map(planOfTag).flatMap(faceted)),
      )),
  ];
}

function faceted(plan: ChartPlan): ChartPlan[] {
  return facetPlans(plan, comparison.facets);
}

/** Charts of groups have the colors of the groups. */
function legend(plans: readonly ChartPlan[]): NamedRun[] {
  if (!comparison.isGrouped) return holdersOf(plans.flatMap(({ parts }) => parts));
  return comparison.groups.map(({ key, runs }) => ({
    name: key,
    color: comparison.colorOf(key),
    state: t("compare.runs", { n: runs.length }),
  }));
}

function comparing(): Setting[] {
  const { grouping, parameters, center, spread, baseline, facet } = view.comparing;
  const group = grouping === "parameter" ? parameters.join(" × ") : t(`compare.group_${grouping}`);
  return [
    ...(comparison.isGrouped
      ? [
          { name: t("compare.group"), value: group },
          { name: t("compare.center"), value: t(`compare.center_${center}`) },
          { name: t("compare.spread"), value: t(`compare.spread_${spread}`) },
        ]
      : []),
    ...(facet === null ? [] : [{ name: t("compare.facet"), value: facet === DIRECTORY ? t("compare.by_directory") : facet }]),
    ...(baseline === null ? [] : [{ name: t("compare.baseline"), value: baseline }]),
  ];
}

function tableCard(tags: readonly string[]): PlannedCard {
  return { title: t("compare.table"), run: null, isWide: true, make: (signal) => readTable(tags, signal) };
}

async function readTable(tags: readonly string[], signal: AbortSignal): Promise<CardContent> {
  const groups = new Map(comparison.groups.flatMap(({ key, runs }) => runs.map((run) => [run, key] as const)));
  const columns = scalarColumns(ownColumns(tags), tags);
  const { series } = await readOnce(seriesStatistics, { runs: selection.shown, tags }, signal);
  const rows = scalarRows(columns, series);
  const run: PlannedColumn<FigureRow> = { title: t("compare.run"), isNumber: false, value: (row) => row.run, text: (row) => row.run };
  return tableContent(t("compare.table"), [run, ...columns.map(planned)], rows, (row) =>
    comparison.colorOf(groups.get(row.run) ?? row.run),
  );
}

function planned(column: ScalarColumn, place: number): PlannedColumn<FigureRow> {
  const { title, band, isNumber } = column;
  return {
    title,
    group: band?.title ?? "",
    isNumber,
    value: ({ cells }) => cells[place] ?? null,
    text: (row) => cellText(runLine(row), column, place),
  };
}
