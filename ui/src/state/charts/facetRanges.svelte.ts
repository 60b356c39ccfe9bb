// SPDX-License-Identifier: Apache-2.0
import { untrack } from "svelte";

import { finiteExtent } from "../../core/scales/extent";
import type { Range } from "../../core/scales/axis";
import { heightExtents, type Curve, type Scaling } from "../../core/series/curve";
import type { ChartPlan } from "../../core/view/chartPlan";
import { view } from "../view/view.svelte";
import { settingsOfChart } from "./curveStyles";

type Extents = readonly (Range | null)[];

/** Heights of the facets of charts, as far as they were drawn: all facets of a chart show the same range of values. */
class FacetRanges {
  /** By chart: what its facets have in common, and the extents of each. */
  #charts = $state.raw<ReadonlyMap<string, { common: string; extents: ReadonlyMap<string, Extents> }>>(new Map());

  /** What a facet shows of values by itself. It does not track the other facets. */
  put(plan: ChartPlan, curves: readonly Curve[], scaling: Scaling): void {
    const common = commonOf(plan);
    const extents = heightExtents(curves, scaling);
    const charts = untrack(() => this.#charts);
    const chart = charts.get(plan.key);
    const others = chart?.common === common ? chart.extents : new Map<string, Extents>();
    if (JSON.stringify(others.get(plan.facet ?? "")) === JSON.stringify(extents)) return;
    this.#charts = new Map([...charts, [plan.key, { common, extents: new Map([...others, [plan.facet ?? "", extents]]) }]]);
  }

  /** What all facets of a chart show together, axis by axis; empty for a chart that is no facet. */
  of(plan: ChartPlan): Extents {
    const chart = plan.facet === undefined ? undefined : this.#charts.get(plan.key);
    const all = chart?.common === commonOf(plan) ? [...chart.extents.values()] : [];
    const axes = Math.max(0, ...all.map(({ length }) => length));
    return Array.from({ length: axes }, (_, axis) => finiteExtent(all.map((extents) => extents[axis] ?? [])));
  }
}

/** Another axis, scale, grouping or baseline gives other heights. */
function commonOf({ key }: ChartPlan): string {
  const { facet, grouping, parameters, center, spread, baseline } = view.comparing;
  return JSON.stringify([key, settingsOfChart(key), facet, grouping, parameters, center, spread, baseline]);
}

export const facetRanges = new FacetRanges();
