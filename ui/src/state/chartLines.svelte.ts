// SPDX-License-Identifier: Apache-2.0
import { untrack } from "svelte";

import type { ChartPlan } from "../core/chartPlan";
import { farCount, unplacedCount, type Curve, type Scaling } from "../core/curve";
import { lastValue, withoutEnds, type Series } from "../core/series";
import { chartCounts } from "../core/seriesSummary";
import { smoothingOf } from "../core/smoothing";
import { shownBox } from "../core/zoom";
import { CurveDemand } from "./curves.svelte";
import { lineKey, lookOfLine, offsetOf, scalingOf } from "./lines";
import { view } from "./view.svelte";
import { zooms } from "./zooms.svelte";

/** What a chart is made of; `baseline` is the run that the others are compared with, null draws values. */
interface ChartWish {
  plan: ChartPlan;
  baseline: string | null;
}

/** The lines of one chart: what it asks for, what has come of it, and how that is drawn. Lives as long as its component. */
export class ChartLines {
  /** Pixels that the chart has for its curves; 0 until it stands on the page. */
  width = $state(0);
  readonly demand = new CurveDemand();
  /** The whole lines while the chart shows something else of them: mostly what it showed before, which is known. */
  readonly #whole = new CurveDemand();
  readonly #wish: () => ChartWish;

  scaling = $derived.by<Scaling>(() => scalingOf(this.#wish().plan.key));
  zoom = $derived.by(() => shownBox(zooms.of(this.#wish().plan.key)));
  series = $derived(this.#drawable(this.demand));
  #isPart = $derived(this.zoom !== null || view.scalars.xTag !== null);
  /** Value at the last step of every line, whatever the chart is zoomed to and whatever stands across. */
  lasts = $derived<ReadonlyMap<string, number | null>>(
    new Map((this.#isPart ? this.#drawable(this.#whole) : this.series).map((one) => [lineKey(one), lastValue(one)])),
  );
  failed = $derived(this.demand.series.filter(({ error }) => error !== null));
  curves = $derived.by<readonly Curve[]>(() => {
    const { plan } = this.#wish();
    return this.series.map((one) => lookOfLine(one, plan, offsetOf(one.run, this.#firstSteps.get(lineKey(one)) ?? 0), this.width));
  });
  counts = $derived(chartCounts(this.series, this.scaling.isLog));
  /** Rows that a logarithmic horizontal axis has no place for; a lower bound where the curves are reduced. */
  unplaced = $derived(this.scaling.isLogX ? unplacedCount(this.curves) : 0);
  /** Outliers left out of the height. */
  far = $derived(this.scaling.ignoresOutliers && this.zoom === null ? farCount(this.curves, this.scaling) : 0);

  /** First steps by line, as soon as they are known: what aligned runs are moved by. */
  #firstSteps = $derived.by<ReadonlyMap<string, number>>(() => {
    if (!view.scalars.alignsStarts) return new Map();
    return new Map(this.demand.series.flatMap((one) => (one.firstStep === null ? [] : [[lineKey(one), one.firstStep] as const])));
  });
  #wanted = $derived.by(() =>
    this.#wish().plan.parts.flatMap(({ name, runs }) =>
      runs.map((run) => ({ run, tag: name, offset: offsetOf(run, this.#firstSteps.get(lineKey({ run, tag: name })) ?? 0) })),
    ),
  );

  /** To be made while its component is. */
  constructor(wish: () => ChartWish) {
    this.#wish = wish;
    $effect(() => this.#ask());
    $effect(() => () => {
      this.demand.release();
      this.#whole.release();
    });
  }

  #ask(): void {
    if (this.width === 0) return;
    const { xTag } = view.scalars;
    const want = {
      lines: this.#wanted,
      axis: view.axis,
      range: this.zoom?.x ?? null,
      pixels: this.width,
      isLogX: this.scaling.isLogX,
      smoothing: smoothingOf(view.scalars, view.smoothing),
      xTag,
      baseline: this.#wish().baseline,
    };
    const whole = { ...want, range: null, xTag: null };
    const isPart = this.#isPart;
    untrack(() => {
      this.demand.want(want);
      if (isPart) this.#whole.want(whole);
      else this.#whole.release();
    });
  }

  #drawable({ series }: CurveDemand): readonly Series[] {
    const readable = series.filter(({ error }) => error === null);
    return this.#wish().baseline === null ? readable : readable.map(withoutEnds);
  }
}
