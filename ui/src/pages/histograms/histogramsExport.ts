// SPDX-License-Identifier: Apache-2.0
import { histogramDrawing } from "../../charts/export/histogramDrawing";
import { groupDigits } from "../../core/text/format";
import { histogramJson } from "../../core/tables/histogramTable";
import { axisPositions, type Range } from "../../core/scales/axis";
import { bucketExtent, oddCounts, type Histograms } from "../../core/series/histograms";
import type { ChartShape } from "../../core/series/histogramLayout";
import { shownBox } from "../../core/scales/zoom";
import { t } from "../../i18n/i18n.svelte";
import type { CardContent, CardPin, PlannedCard, ViewPlan } from "../../export/html/model";
import { colors } from "../../state/view/runColors.svelte";
import { histogramSource } from "../../state/data/histograms";
import { readOnce } from "../../state/requests/resourceCache";
import type { TagRuns } from "../../state/data/tags.svelte";
import { view } from "../../state/view/view.svelte";
import { zooms } from "../../state/view/zooms.svelte";
import { drawingSize, type Size } from "../../export/curvesPart";
import { filterSetting, namedRun, holdersOf, sectionsOf } from "../../export/selectedRuns";
import { itemsOf, type SeriesItem } from "../../state/data/seriesItem";

/** Maximum number of rows that are distinguishable in a drawing, as on the screen. */
const ROOM = { ridge: 56, front: 40, heat: 160, bands: 160, both: 56 } as const;

/** Histograms in the display that the page is set to. */
export function histogramsExport(full: TagRuns | undefined, matching: readonly TagRuns[]): ViewPlan {
  const tags = full ? [full] : matching;
  const size = drawingSize(itemsOf(tags).length);
  const sections = sectionsOf(tags, (some) => itemsOf(some).map((item) => cardOf(item, size)));
  const settings = [
    ...filterSetting(),
    { name: t("histograms.shape"), value: t(`histograms.shape_${view.shape}`) },
    { name: t("histograms.axis"), value: t(`scalars.axis_${view.axis}`) },
  ];
  return { page: "histograms", title: t("dashboard.histograms"), runs: holdersOf(tags), settings, sections };
}

function cardOf(item: SeriesItem, size: Size): PlannedCard {
  return { title: item.tag, run: namedRun(item.run), make: (signal) => readCard(item, size, signal) };
}

async function readCard({ run, tag }: SeriesItem, size: Size, signal: AbortSignal): Promise<CardContent> {
  const zoom = shownBox(zooms.of(tag));
  const histograms = await readOnce(histogramSource, { run, tag, axis: view.axis, range: zoom?.x ?? null, rows: ROOM[view.shape] }, signal);
  const shapes: readonly ChartShape[] = view.shape === "both" ? ["ridge", "heat"] : [view.shape];
  const label = t("histograms.chart", { tag, run, n: histograms.step.length });
  const look = { histograms, axis: view.axis, values: zoom?.y ?? null, color: colors.of(run), unit: t("histograms.unit") };
  const drawings = shapes.map((shape, index) => ({
    kind: "drawing" as const,
    label,
    drawing: histogramDrawing({ ...look, shape }, size),
    values: index === 0 ? (JSON.parse(histogramJson(histograms)) as unknown) : null,
  }));
  return { facts: [...(zoom ? [t("saved.zoomed")] : []), ...histogramFacts(histograms)], parts: drawings, pin: pinOf(tag, histograms) };
}

/** What keeps the chart at the steps and values that it has now. */
function pinOf(tag: string, histograms: Histograms): CardPin | undefined {
  const { start_wall_time: start, last_step: step, last_wall_time: wallTime } = histograms;
  const [first] = axisPositions(view.axis, histograms, start);
  const last = axisPositions(view.axis, { step, wall_time: wallTime }, start).at(-1);
  const values = bucketExtent(histograms);
  if (first === undefined || last === undefined || values === null) return undefined;
  return { chart: tag, box: { x: widened([first, last]), y: widened(values) } };
}

/** A zoom needs two ends. */
function widened([low, high]: Range): Range {
  return low < high ? [low, high] : [low - 0.5, high + 0.5];
}

/** How many steps are drawn, and what of them is in no bucket. */
export function histogramFacts(histograms: Histograms): string[] {
  const { nan, infinite } = oddCounts(histograms);
  const { in_range, steps, steps_per_row, step } = histograms;
  const shown = in_range < steps ? `${groupDigits(in_range)} / ${groupDigits(steps)}` : groupDigits(steps);
  const unreadable = histograms.unreadable.reduce((sum, count) => sum + count, 0);
  return [
    steps_per_row > 1 ? t("histograms.merged", { shown, n: step.length }) : t("histograms.steps", { n: steps, shown }),
    ...(nan > 0 ? [t("card.nan", { n: groupDigits(nan) })] : []),
    ...(infinite > 0 ? [t("card.infinite", { n: groupDigits(infinite) })] : []),
    ...(unreadable > 0 ? [t("histograms.unreadable", { n: unreadable })] : []),
  ];
}
