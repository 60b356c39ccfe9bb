// SPDX-License-Identifier: Apache-2.0
import type { ChartPlan } from "../core/view/chartPlan";
import { AS_PAGE } from "../core/view/chartSettings";
import { boundParts } from "../core/view/layoutPlan";
import { withoutEnds, type Series } from "../core/series/series";
import { t } from "../i18n/i18n.svelte";
import type { CardContent, PlannedCard, Setting } from "./html/model";
import { readLines, type Want } from "../state/data/curveQuery";
import { axesOf, drawnCurves, lineCount, lookOfLine, offsetOf, scalingOf, settingsOfChart, titledAxes } from "../state/charts/curveStyles";
import { facetRanges } from "../state/charts/facetRanges.svelte";
import { problemOf, ReasonError } from "../state/requests/problem";
import { view } from "../state/view/view.svelte";
import { zooms } from "../state/view/zooms.svelte";
import { chartPin, curveFacts, curvesPart, curvesTable, lineOf, pixelsOf, type Size } from "./curvesPart";
import { filterSetting } from "./selectedRuns";

/** Charts of scalars as cards of a file; `baseline` is the run that the others are compared with. */
export function scalarCards(plans: readonly ChartPlan[], baseline: string | null, size: Size, lines: number): PlannedCard[] {
  return plans.map((plan) => ({
    title: view.scalars.own.get(plan.key)?.title || plan.title,
    run: null,
    hasPrefix: plan.title === plan.key,
    make: (signal) => readCard(plan, baseline, size, pixelsOf(lines), signal),
  }));
}

export function countLines(plans: readonly ChartPlan[]): number {
  return plans.reduce((sum, plan) => sum + lineCount(plan), 0);
}

async function readCard(plan: ChartPlan, baseline: string | null, size: Size, pixels: number, signal: AbortSignal): Promise<CardContent> {
  const { read, offsets } = await readPlan(plan, baseline, pixels, signal);
  const bounds = plan.layout && baseline === null ? (await readPlan({ ...plan, parts: boundParts(plan) }, null, pixels, signal)).read : [];
  const readable = read.filter(({ error }) => error === null);
  const failed = read.find(({ error }) => error !== null);
  if (readable.length === 0 && failed) throw new ReasonError(failed.error!);
  const series = baseline === null ? readable : readable.map(withoutEnds);
  const curves = drawnCurves(
    series.map((one) => lookOfLine(one, plan, offsets(one), pixels, bounds)),
    plan.title,
  );
  const scaling = scalingOf(plan.key, curves);
  const zoom = zooms.boxOf(plan.key, curves, scaling);
  const own = view.scalars.own.get(plan.key) ?? AS_PAGE;
  const hasGuides = plan.parts.length === 1 && baseline === null;
  const label = `${own.title || plan.title} · ${curves
    .map((curve) => curve.label)
    .slice(0, 8)
    .join(", ")}`;
  const yAxes = titledAxes(axesOf(plan), own.yTitle);
  const chart = { key: plan.key, label, curves, yAxes, scaling, zoom, shared: facetRanges.of(plan), size, hasGuides };
  const unread = failed
    ? [t("card.some_failed", { n: read.length - readable.length, error: problemOf(new ReasonError(failed.error!)).what })]
    : [];
  const part = curvesPart(
    chart,
    curves.map((curve, index) => lineOf(curve, series[index]!, plan.key)),
  );
  return {
    facts: [...curveFacts(curves, series, scaling.isLog, zoom), ...unread],
    parts: [part, curvesTable(curves, series, zoom?.x ?? null)],
    pin: chartPin(plan.key, part),
  };
}

/** Runs that begin together are moved by their first steps, which are known once they were read. */
async function readPlan(
  plan: ChartPlan,
  baseline: string | null,
  pixels: number,
  signal: AbortSignal,
): Promise<{ read: Series[]; offsets: (series: { run: string; first_step: number | null }) => number }> {
  const offsets = ({ run, first_step }: { run: string; first_step: number | null }): number => offsetOf(plan.key, run, first_step ?? 0);
  const range = zooms.xOf(plan.key);
  const { axis, isLogX, smoothing, xTag } = settingsOfChart(plan.key);
  const lines = plan.parts.flatMap(({ name, runs }) => runs.map((run) => ({ run, tag: name, offset: 0 })));
  const want: Want = { lines, axis, range: null, pixels, isLogX, smoothing, xTag, baseline, showsHidden: view.scalars.showsHidden };
  const read = await readLines(want, signal);
  if (!range) return { read, offsets };
  const moved = lines.map((line, index) => ({ ...line, offset: offsets({ run: line.run, first_step: read[index]!.first_step }) }));
  const first = new Map(read.map((one) => [JSON.stringify([one.run, one.tag]), one.first_step]));
  const zoomed = await readLines({ ...want, lines: moved, range }, signal);
  return {
    read: zoomed,
    offsets: ({ run, ...rest }) => offsets({ run, first_step: first.get(JSON.stringify([run, (rest as Series).tag])) ?? null }),
  };
}

/** How curves are drawn, in words. */
export function curveSettings(): Setting[] {
  const { smoother, reach, isLogX, xTag, ignoresOutliers, alignsStarts, rawAs, offsets, showsHidden } = view.scalars;
  const smoothing =
    smoother === "weight" ? (view.smoothing > 0 ? String(view.smoothing) : "") : `${t(`scalars.smoother.${smoother}`)} ${reach}`;
  const ticked = [
    ...(isLogX ? [t("scalars.x_log")] : []),
    ...(alignsStarts ? [t("scalars.align")] : []),
    ...(ignoresOutliers ? [t("scalars.outliers")] : []),
    ...(showsHidden ? [t("scalars.show_points")] : []),
    ...(rawAs === "band" ? [t("scalars.band")] : []),
  ];
  return [
    ...filterSetting(),
    { name: t("scalars.axis"), value: xTag ?? t(`scalars.axis_${view.axis}`) },
    ...(smoothing === "" ? [] : [{ name: t("scalars.smoothing"), value: smoothing }]),
    { name: t("scalars.y"), value: t(view.isLog ? "scalars.y_log" : "scalars.y_linear") },
    ...(ticked.length === 0 ? [] : [{ name: t("scalars.settings"), value: ticked.join(" · ") }]),
    ...(Object.keys(offsets).length === 0
      ? []
      : [
          {
            name: t("saved.offsets"),
            value: Object.entries(offsets)
              .map(([run, offset]) => t("saved.run_offset", { run, offset }))
              .join(" · "),
          },
        ]),
  ];
}
