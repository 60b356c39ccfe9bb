// SPDX-License-Identifier: Apache-2.0
import { untrack } from "svelte";

import type { ChartPart, ChartPlan } from "../../core/view/chartPlan";
import { boundParts } from "../../core/view/layoutPlan";
import { farCount, unplacedCount, type Curve, type Scaling } from "../../core/series/curve";
import { lastValue, withoutEnds, type Series } from "../../core/series/series";
import { chartCounts } from "../../core/series/seriesSummary";
import { CurveDemand } from "./curves.svelte";
import { drawnCurves, lineKey, lookOfLine, offsetOf, scalingOf, settingsOfChart, styleOfLine, type ChartSettings } from "./curveStyles";
import type { Want } from "../data/curveQuery";
import { view } from "../view/view.svelte";
import { zooms } from "../view/zooms.svelte";

/** What a chart is made of; `baseline` is the run that the others are compared with, null draws values. */
interface ChartWish {
  plan: ChartPlan;
  baseline: string | null;
  /** With a baseline, values are needed beside differences. */
  hasValues: boolean;
}

/** A line of the legend: what it is in words, how it is drawn, and its last value; undefined while it is loading. */
export interface LegendLine extends Pick<Curve, "key" | "color" | "dash"> {
  run: string;
  title: string;
  value: number | null | undefined;
}

/** The lines of one chart: requests, received rows and styles. Lives as long as its component. */
export class ChartLines {
  /** Width of the plotting area in pixels; 0 before layout. */
  width = $state(0);
  readonly demand = new CurveDemand();
  /** The whole lines while the chart shows something else of them: mostly what it showed before, which is known. */
  readonly #whole = new CurveDemand();
  readonly #values = new CurveDemand();
  /** The bounds of margins. */
  readonly #bounds = new CurveDemand();
  readonly #wish: () => ChartWish;

  settings = $derived.by<ChartSettings>(() => settingsOfChart(this.#wish().plan.key));
  /** What is shown of the horizontal axis; null for all of it. */
  range = $derived.by(() => zooms.xOf(this.#wish().plan.key));
  series = $derived(this.#drawable(this.demand));
  #isPart = $derived(this.range !== null || this.settings.xTag !== null);
  /** Drawn value at the last step of every line, independent of zoom and x-axis. */
  lasts = $derived<ReadonlyMap<string, number | null>>(
    new Map(
      (this.#isPart ? this.#drawable(this.#whole) : this.series).map((one) => [
        lineKey(one),
        lastValue({ ...one, value: one.smoothed ?? one.value }),
      ]),
    ),
  );
  /** What the lines are without the baseline, as far as it was read; null where the lines are values. */
  values = $derived.by<readonly Series[] | null>(() => (this.#wish().baseline === null ? null : this.#values.series));
  failed = $derived(this.demand.series.filter(({ error }) => error !== null));
  #lines = $derived.by<readonly Curve[]>(() => {
    const { plan, baseline } = this.#wish();
    const bounds = baseline === null ? this.#bounds.series : [];
    return this.series.map((one) =>
      lookOfLine(one, plan, offsetOf(plan.key, one.run, this.#firstSteps.get(lineKey(one)) ?? 0), this.width, bounds),
    );
  });
  curves = $derived.by(() => drawnCurves(this.#lines, this.#wish().plan.title));
  /** How many of many curves are lines of their own; null where all are. */
  top = $derived(this.curves.some(({ isBehind }) => isBehind) ? this.curves.filter(({ isBehind }) => !isBehind).length : null);
  scaling = $derived.by<Scaling>(() => scalingOf(this.#wish().plan.key, this.#lines));
  zoom = $derived.by(() => zooms.boxOf(this.#wish().plan.key, this.#lines, this.settings));
  counts = $derived(chartCounts(this.series, this.scaling.isLog));
  /** Rows that a logarithmic horizontal axis has no place for; a lower bound where the curves are reduced. */
  unplaced = $derived(this.scaling.isLogX ? unplacedCount(this.curves) : 0);
  /** Outliers left out of the height. */
  far = $derived(this.scaling.ignoresOutliers && this.zoom === null ? farCount(this.curves, this.scaling) : 0);

  /**
   * Lines of the legend, also those whose rows are still to come: a legend that grew with each answer would change the height of
   * the chart, which would be drawn again.
   */
  legend = $derived.by<readonly LegendLine[]>(() => {
    const { plan } = this.#wish();
    const failed = new Set(this.failed.map(lineKey));
    const curves = new Map(this.series.map((one, index) => [lineKey(one), this.curves[index]!]));
    return this.#wanted
      .map((line) => ({ ...line, key: lineKey(line) }))
      .filter(({ key }) => !failed.has(key))
      .map(({ run, tag, key }) => {
        const { color, dash, part, rank = 0 } = curves.get(key) ?? styleOfLine({ run, tag }, plan);
        return { key, run, rank, title: part === "" ? run : `${run} · ${part}`, color, dash, value: this.lasts.get(key) };
      })
      .sort((one, other) => one.rank - other.rank);
  });

  /** First steps by line, as soon as they are known: what aligned runs are moved by. */
  #firstSteps = $derived.by<ReadonlyMap<string, number>>(() => {
    if (!view.scalars.alignsStarts) return new Map();
    return new Map(this.demand.series.flatMap((one) => (one.first_step === null ? [] : [[lineKey(one), one.first_step] as const])));
  });
  #wanted = $derived.by(() => this.#linesOf(this.#wish().plan.parts));
  #wantedBounds = $derived.by(() => this.#linesOf(boundParts(this.#wish().plan)));

  /** To be made while its component is. */
  constructor(wish: () => ChartWish) {
    this.#wish = wish;
    $effect(() => this.#ask());
    $effect(() => () => {
      this.demand.release();
      this.#whole.release();
      this.#values.release();
      this.#bounds.release();
    });
  }

  #linesOf(parts: readonly ChartPart[]): Want["lines"] {
    const { key } = this.#wish().plan;
    return parts.flatMap(({ name: tag, runs }) =>
      runs.map((run) => ({ run, tag, offset: offsetOf(key, run, this.#firstSteps.get(lineKey({ run, tag })) ?? 0) })),
    );
  }

  #ask(): void {
    if (this.width === 0) return;
    const { xTag, axis, smoothing, isLogX } = this.settings;
    const want = {
      lines: this.#wanted,
      axis,
      range: this.range,
      pixels: this.width,
      isLogX,
      smoothing,
      xTag,
      baseline: this.#wish().baseline,
      showsHidden: view.scalars.showsHidden,
    };
    const { baseline, hasValues } = this.#wish();
    const whole = { ...want, range: null, xTag: null };
    const isPart = this.#isPart;
    const bounds = baseline === null ? this.#wantedBounds : [];
    untrack(() => {
      this.demand.want(want);
      if (isPart) this.#whole.want(whole);
      else this.#whole.release();
      if (hasValues && baseline !== null) this.#values.want({ ...want, baseline: null });
      else this.#values.release();
      if (bounds.length > 0) this.#bounds.want({ ...want, lines: bounds });
      else this.#bounds.release();
    });
  }

  #drawable({ series }: CurveDemand): readonly Series[] {
    const readable = series.filter(({ error }) => error === null);
    return this.#wish().baseline === null ? readable : readable.map(withoutEnds);
  }
}
