// SPDX-License-Identifier: Apache-2.0
import type { DrawnLine } from "../../core/layout/vectorDrawing";
import { formatValue, groupDigits } from "../../core/text/format";
import { tagExpression } from "../../core/view/formula";
import { bandOf, groupCurve, groupWithoutEnds, type Group } from "../../core/series/groupStatistics";
import { groupSummary } from "../../core/tables/groupTable";
import { t } from "../../i18n/i18n.svelte";
import type { CardContent, PlannedCard, TablePart } from "../../export/html/model";
import { comparison, type GroupQuery } from "../../state/charts/groupComparison.svelte";
import { scalingOf, settingsOfChart } from "../../state/charts/curveStyles";
import { ReasonError, reasonText } from "../../state/requests/problem";
import { readGroups } from "../../state/data/exportReads";
import type { TagRuns } from "../../state/data/tags.svelte";
import { view } from "../../state/view/view.svelte";
import { zooms } from "../../state/view/zooms.svelte";
import { curvesPart, pixelsOf, type Size } from "../../export/curvesPart";

/** Charts of groups of runs as cards of a file: the line of each group with its band, and figures of the groups. */
export function groupCards(tags: readonly TagRuns[], size: Size, charts: number): PlannedCard[] {
  const lines = charts * comparison.groups.length;
  return tags.map((tag) => ({ title: tag.tag, run: null, make: (signal) => readCard(tag, size, pixelsOf(lines), signal) }));
}

async function readCard(tag: TagRuns, size: Size, pixels: number, signal: AbortSignal): Promise<CardContent> {
  const { baseline } = comparison;
  if (baseline === undefined) return { facts: [t("compare.baseline_missing", { group: view.comparing.baseline ?? "" })], parts: [] };
  const all = await readGroups(queryOf(tag, pixels), signal);
  const readable = all.filter(({ error }) => error === null);
  const groups = baseline === null ? readable : readable.map(groupWithoutEnds);
  if (groups.length === 0 && all.length > 0) throw new ReasonError(all[0]!.error!);
  const { center, spread } = view.comparing;
  const curves = groups.map((group) =>
    groupCurve(group, { label: group.key, color: comparison.colorOf(group.key), dash: comparison.dashOf(group.key) }, center, spread),
  );
  const chart = {
    key: tag.tag,
    label: t("compare.group_chart", { tag: tag.tag, n: curves.length }),
    curves,
    yAxes: [{ title: "", color: null }],
    scaling: scalingOf(tag.tag, curves),
    zoom: zooms.boxOf(tag.tag, curves, scalingOf(tag.tag, curves)),
    size,
    hasGuides: view.comparing.baseline === null,
  };
  return { facts: factsOf(groups), parts: [curvesPart(chart, groups.map(lineOf)), figures(groups)] };
}

function queryOf({ tag, runs }: TagRuns, pixels: number): GroupQuery {
  const { baseline, groups } = comparison;
  const { axis, xTag, isLogX, smoothing } = settingsOfChart(tag);
  const holders = new Set(runs);
  const wanted = groups.map((group) => ({ key: group.key, y: tagExpression(tag), runs: group.runs.filter((run) => holders.has(run)) }));
  return {
    groups: wanted.filter((group) => group.runs.length > 0),
    baseline: baseline ? { runs: baseline.runs, center: view.comparing.center } : null,
    axis,
    x: xTag === null ? null : tagExpression(xTag),
    range: zooms.xOf(tag),
    pixels,
    log_origin: isLogX ? 0 : null,
    smoothing,
  };
}

function lineOf(group: Group): DrawnLine {
  const { center, spread } = view.comparing;
  const band = bandOf(group, center, spread);
  return {
    name: group.key,
    part: "",
    color: comparison.colorOf(group.key),
    scale: 0,
    x: group.x,
    value: group[center],
    low: band?.low ?? null,
    high: band?.high ?? null,
    count: group.count,
  };
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

function figures(groups: readonly Group[]): TablePart {
  const { center } = view.comparing;
  const number = (value: number | null): { text: string; value: number | null } => ({ text: formatValue(value, 6), value });
  const rows = groups.map((group) => {
    const { key, runs, last, lowest, highest, points } = groupSummary(group, center);
    const counted = (value: number): { text: string; value: number } => ({ text: groupDigits(value), value });
    return {
      color: comparison.colorOf(key),
      cells: [{ text: key, value: key }, counted(runs), number(last), number(lowest), number(highest), counted(points)],
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
