// SPDX-License-Identifier: Apache-2.0
import "./groupWords";
import type { DrawnLine } from "../../core/layout/vectorDrawing";
import type { Curve } from "../../core/series/curve";
import type { Group } from "../../core/series/groupStatistics";
import { groupSummary } from "../../core/tables/groupTable";
import { formatValue, groupDigits } from "../../core/text/format";
import type { ChartPlan } from "../../core/view/chartPlan";
import { chartPin, curvesPart, pixelsOf, type Size } from "../../export/curvesPart";
import type { CardContent, PlannedCard, TablePart } from "../../export/html/model";
import { t } from "../../i18n/i18n.svelte";
import { axesOf, scalingOf } from "../../state/charts/curveStyles";
import { facetRanges } from "../../state/charts/facetRanges.svelte";
import { comparison } from "../../state/charts/groupComparison.svelte";
import { drawableGroups, groupLines, groupQuery } from "../../state/charts/groupLines.svelte";
import { readGroups } from "../../state/data/exportReads";
import { ReasonError, reasonText } from "../../state/requests/problem";
import { view } from "../../state/view/view.svelte";
import { zooms } from "../../state/view/zooms.svelte";

/** Charts of groups of runs as cards of a file: the line of each group with its band, and figures of the groups. */
export function groupCards(plans: readonly ChartPlan[], size: Size, lines: number): PlannedCard[] {
  return plans.map((plan) => ({
    title: plan.title,
    run: null,
    hasPrefix: plan.title === plan.key,
    make: (signal) => readCard(plan, size, pixelsOf(lines), signal),
  }));
}

async function readCard(plan: ChartPlan, size: Size, pixels: number, signal: AbortSignal): Promise<CardContent> {
  const { baseline } = view.comparing;
  if (comparison.baseline === undefined) return { facts: [t("compare.baseline_missing", { group: baseline ?? "" })], parts: [] };
  const query = groupQuery(plan, pixels);
  const all = query ? await readGroups(query, signal) : [];
  const groups = drawableGroups(all);
  if (groups.length === 0 && all.length > 0) throw new ReasonError(all[0]!.error!);
  const curves = groupLines(groups, plan);
  const chart = {
    key: plan.key,
    label: t("compare.group_chart", { tag: plan.title, n: curves.length }),
    curves,
    yAxes: axesOf(plan),
    scaling: scalingOf(plan.key, curves),
    zoom: zooms.boxOf(plan.key, curves, scalingOf(plan.key, curves)),
    shared: facetRanges.of(plan),
    size,
    hasGuides: plan.parts.length === 1 && baseline === null,
  };
  const part = curvesPart(
    chart,
    curves.map((curve, index) => lineOf(curve, groups[index]!)),
  );
  return { facts: factsOf(groups), parts: [part, figures(curves, groups)], pin: chartPin(plan.key, part) };
}

function lineOf({ part, color, scale, raw, band }: Curve, group: Group): DrawnLine {
  const { key: name, x, count } = group;
  return { name, part, color, scale, x, value: raw, low: band?.low ?? null, high: band?.high ?? null, count };
}

function factsOf(groups: readonly Group[]): string[] {
  const missing = groups.reduce((sum, group) => sum + group.missing.length, 0);
  const problem = groups.find((group) => group.problem !== null)?.problem;
  return [
    ...(groups.some(({ interpolated }) => interpolated) ? [t("compare.interpolated_title")] : []),
    ...(groups.some(({ reduced }) => reduced) ? [t("card.reduced")] : []),
    ...(missing > 0 ? [t("compare.missing", { n: missing, problem: reasonText(problem) })] : []),
  ];
}

function figures(curves: readonly Curve[], groups: readonly Group[]): TablePart {
  const { center } = view.comparing;
  const number = (value: number | null): { text: string; value: number | null } => ({ text: formatValue(value, 6), value });
  const rows = groups.map((group, index) => {
    const { key, runs, last, lowest, highest, points } = groupSummary(group, center);
    const counted = (value: number): { text: string; value: number } => ({ text: groupDigits(value), value });
    const name = group.part === "" ? key : `${key} · ${group.part}`;
    return {
      color: curves[index]!.color,
      cells: [{ text: name, value: name }, counted(runs), number(last), number(lowest), number(highest), counted(points)],
    };
  });
  const titles = [
    t("compare.tip_count"),
    t("compare.last_of", { center: t(`compare.center_${center}`) }),
    t("legend.minimum"),
    t("legend.maximum"),
    t("legend.points"),
  ];
  return {
    kind: "table",
    label: t("compare.figures"),
    columns: [{ title: t("compare.tip_group"), isNumber: false }, ...titles.map((title) => ({ title, isNumber: true }))],
    rows,
  };
}
