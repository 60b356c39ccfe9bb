// SPDX-License-Identifier: Apache-2.0
import { Inks } from "../../charts/inks";
import { staticChart } from "../../charts/staticChart";
import type { ChartPlan } from "../../core/chartPlan";
import { smoothingOf } from "../../core/smoothing";
import { staticPage } from "../../core/staticPage";
import { formatWallTime } from "../../core/time";
import { currentLanguage, t } from "../../i18n/i18n.svelte";
import { readLines } from "../../state/curveQuestion";
import { lookOfLine, offsetOf, scalingOf, thresholdGuides } from "../../state/lines";
import { view } from "../../state/view.svelte";

const PIXELS = 1024;

/** The charts of a view as one HTML file with their numbers. Raises what the requests raise. */
export async function exportView(plans: readonly ChartPlan[]): Promise<string> {
  const inks = new Inks(document.body);
  const charts: { title: string; svg: string }[] = [];
  const data: unknown[] = [];
  try {
    for (const plan of plans) {
      const series = await readPlan(plan);
      const curves = series.map((one) => lookOfLine(one, plan, offsetOf(one.run, one.firstStep ?? 0), PIXELS));
      const scaling = scalingOf(plan.key);
      const { xTag } = view.scalars;
      const guides = plan.parts.length === 1 ? thresholdGuides(plan.key) : [];
      charts.push({ title: plan.title, svg: staticChart({ title: plan.title, curves, axis: xTag === null ? view.axis : "value", scaling, guides }, inks) });
      data.push({ title: plan.title, lines: series.map((one, index) => ({ run: one.run, tag: one.tag, x: listed(curves[index]!.x), value: listed(one.value) })) });
    }
  } finally {
    inks.remove();
  }
  const made = formatWallTime(Date.now() / 1000);
  return staticPage({ title: `mindscope · ${t("nav.scalars")}`, address: location.href, made, language: currentLanguage(), charts, data });
}

async function readPlan(plan: ChartPlan): ReturnType<typeof readLines> {
  const lines = plan.parts.flatMap(({ name, runs }) => runs.map((run) => ({ run, tag: name, offset: 0 })));
  const smoothing = smoothingOf(view.scalars, view.smoothing);
  const { isLogX } = scalingOf(plan.key);
  const series = await readLines({ lines, axis: view.axis, range: null, pixels: PIXELS, isLogX, smoothing, xTag: view.scalars.xTag, baseline: null });
  return series.filter(({ error }) => error === null);
}

/** JSON has no NaN and no infinities: they are texts. */
function listed(values: ArrayLike<number>): (number | string)[] {
  return Array.from(values, (value) => (Number.isFinite(value) ? value : String(value)));
}
