// SPDX-License-Identifier: Apache-2.0
import { curveDrawing } from "../../charts/export/curveDrawing";
import { histogramDrawing } from "../../charts/export/histogramDrawing";
import { landscapeCanvas, pathOver } from "../../charts/heat/landscapeCanvas";
import { graphDrawing } from "../../charts/export/graphDrawing";
import { themedImage } from "../../charts/export/themedImage";
import { curveOf, wholeRanges, type Curve } from "../../core/series/curve";
import { formatValue, groupDigits } from "../../core/text/format";
import { histogramJson } from "../../core/tables/histogramTable";
import { rowAtStep } from "../../core/series/steps";
import { t } from "../../i18n/i18n.svelte";
import type { CardContent } from "../../export/html/model";
import { colors } from "../../state/view/runColors.svelte";
import { readLines } from "../../state/data/curveQuery";
import { histogramSource } from "../../state/data/histograms";
import { imageLists } from "../../state/data/images.svelte";
import { readOnce } from "../../state/requests/resourceCache";
import { tags as shownTags } from "../../state/data/tags.svelte";
import { tensorLists, type Previews } from "../../state/data/values.svelte";
import { UNSMOOTHED } from "../../core/view/smoothing";
import { readImages } from "../images/imagesExport";
import { readPreview } from "../tensors/tensorsExport";

const SIZE = { width: 560, height: 280 };
const SCALING = { isLog: false, isLogX: false, ignoresOutliers: false };
const MOST_PEERS = 24;
const PIXELS = { own: 512, peer: 128 };
const ROWS = 40;

/** The curve of a run, and behind it, faintly, those of other shown runs. */
export async function scalarContent(run: string, tag: string, signal: AbortSignal): Promise<CardContent> {
  const others = (shownTags.list.find((one) => one.tag === tag)?.runs ?? []).filter((one) => one !== run).slice(0, MOST_PEERS);
  const [own] = await curvesOf([run], tag, PIXELS.own, signal);
  const behind = await curvesOf(others, tag, PIXELS.peer, signal);
  const curves = own ? [own] : [];
  const ranges = wholeRanges([...curves, ...behind], { ...SCALING, ignoresOutliers: true });
  const drawing = curveDrawing({
    curves,
    faint: behind,
    axis: "step",
    scaling: SCALING,
    yAxes: [{ title: "", color: null }],
    ranges,
    size: SIZE,
  });
  const lines = curves.map(({ label, color, x, raw }) => ({ name: label, part: "", color, scale: 0, x, value: raw }));
  const last = own?.raw.at(-1);
  return {
    facts: [
      ...(last === undefined ? [] : [`${t("dashboard.last_value")} ${formatValue(last)}`]),
      ...(behind.length > 0 ? [t("dashboard.peers", { n: behind.length })] : []),
    ],
    parts: [{ kind: "curves", label: t("card.chart", { tag, n: 1 + behind.length }), drawing, lines }],
  };
}

async function curvesOf(runs: readonly string[], tag: string, pixels: number, signal: AbortSignal): Promise<Curve[]> {
  const lines = runs.map((run) => ({ run, tag, offset: 0 }));
  const series = await readLines(
    { lines, axis: "step", range: null, pixels, isLogX: false, smoothing: UNSMOOTHED, xTag: null, baseline: null, showsHidden: false },
    signal,
  );
  return series.filter(({ error }) => error === null).map((one) => curveOf(one, "step", colors.of(one.run)));
}

export async function histogramContent(run: string, tag: string, signal: AbortSignal): Promise<CardContent> {
  const histograms = await readOnce(histogramSource, { run, tag, axis: "step", range: null, rows: ROWS }, signal);
  const drawing = histogramDrawing({ histograms, shape: "ridge", axis: "step", values: null, color: colors.of(run), unit: "" }, SIZE);
  const label = t("histograms.chart", { tag, run, n: histograms.step.length });
  return {
    facts: [t("histograms.steps", { n: histograms.steps, shown: groupDigits(histograms.steps) })],
    parts: [{ kind: "drawing", label, drawing, values: JSON.parse(histogramJson(histograms)) as unknown }],
  };
}

export async function imageContent(run: string, tag: string, signal: AbortSignal): Promise<CardContent> {
  const list = await readOnce(imageLists, { run, tag }, signal);
  const row = rowAtStep(list.step, null);
  if (row < 0) return { facts: [t("values.none")], parts: [] };
  const step = list.step[row]!;
  const { facts, parts } = await readImages({ key: { run, tag, id: list.id[row]! }, step, row, list }, signal);
  return { facts: [t("images.step", { step: groupDigits(step) }), ...facts], parts };
}

export async function tensorContent(run: string, tag: string, signal: AbortSignal): Promise<CardContent> {
  const list = await readOnce(tensorLists, { run, tag }, signal);
  const row = rowAtStep(list.step, null);
  if (row < 0) return { facts: [t("values.none")], parts: [] };
  const { facts, parts } = await readPreview({ run, tag, id: list.id[row]! }, signal);
  return { facts: [t("images.step", { step: groupDigits(list.step[row]!) }), ...facts], parts };
}

export function graphContent(run: string, graph: NonNullable<Previews["graph"]>): CardContent {
  const drawing = graphDrawing(graph.scopes, graph.flows, SIZE);
  return {
    facts: [],
    parts: [{ kind: "drawing", label: t("dashboard.graph_label", { run }), drawing, values: { scopes: graph.scopes, flows: graph.flows } }],
  };
}

export function pipelineContent({ stages }: NonNullable<Previews["pipeline"]>): CardContent {
  const rows = stages.map(({ name, detail }, index) => ({
    color: null,
    cells: [
      { text: `${index + 1}. ${name}`, value: name },
      { text: detail, value: detail },
    ],
  }));
  const columns = [
    { title: t("dashboard.pipeline"), isNumber: false },
    { title: "", isNumber: false },
  ];
  return { facts: [], parts: [{ kind: "table", label: t("dashboard.pipeline"), columns, rows }] };
}

export function landscapeContent(
  run: string,
  { tag, x, y, losses, path_x: pathX, path_y: pathY }: NonNullable<Previews["landscape"]>,
): CardContent {
  const path = pathOver({ x, y, pathX, pathY }).map(
    (point, index) => `${index === 0 ? "M" : "L"}${point.x.toFixed(4)} ${point.y.toFixed(4)}`,
  );
  const finite = losses.flat().filter((loss): loss is number => loss !== null);
  const legend = { low: formatValue(Math.min(...finite)), high: formatValue(Math.max(...finite)), marks: [] };
  const part = {
    kind: "cells" as const,
    label: t("dashboard.landscape_label", { run }),
    ...themedImage((rgb) => landscapeCanvas(losses, rgb)),
    cells: [losses[0]?.length ?? 0, losses.length] as const,
    over: `<path class="path" d="${path.join("")}"/>`,
    legend,
    values: { x, y, losses, path_x: pathX, path_y: pathY },
  };
  return { facts: [tag], parts: [part] };
}
