// SPDX-License-Identifier: Apache-2.0
import type { Curve } from "../../core/series/curve";
import { groupCurve, groupWithoutEnds, type Group } from "../../core/series/groupStatistics";
import { partTitle, type ChartPlan } from "../../core/view/chartPlan";
import { partExpression, tagExpression } from "../../core/view/formula";
import { createResource } from "../requests/resource.svelte";
import { view } from "../view/view.svelte";
import { zooms } from "../view/zooms.svelte";
import { scalingOf, settingsOfChart, styleOfLine } from "./curveStyles";
import { comparison, groupCurves, type GroupQuery } from "./groupComparison.svelte";

const PIXELS = 128;

/** The groups of a chart, part by part. Null while the groups are unknown, and for a baseline that is none of them. */
export function groupQuery(plan: ChartPlan, pixels: number, isDifference = true): GroupQuery | null {
  const { key, parts } = plan;
  const { baseline, groups } = comparison;
  const { axis, xTag, isLogX, smoothing } = settingsOfChart(key);
  const wanted = parts.flatMap(({ name, runs }) => {
    const holders = new Set(runs);
    const part = parts.length > 1 ? partTitle(name) : "";
    return groups.map((group) => ({
      key: group.key,
      part,
      y: partExpression(name),
      runs: group.runs.filter((run) => holders.has(run)),
    }));
  });
  const held = wanted.filter((group) => group.runs.length > 0);
  if (baseline === undefined || held.length === 0) return null;
  return {
    groups: held,
    baseline: baseline && isDifference ? { runs: baselineRuns(plan, baseline.runs), center: view.comparing.center } : null,
    axis,
    x: xTag === null ? null : tagExpression(xTag),
    range: zooms.xOf(key),
    pixels,
    log_origin: isLogX ? 0 : null,
    smoothing,
  };
}

/** A facet compares its runs with those of the baseline in it; with all of the baseline where it has none. */
function baselineRuns({ parts, facet }: ChartPlan, runs: readonly string[]): readonly string[] {
  const members = new Set(parts.flatMap((part) => part.runs));
  const inside = facet === undefined ? [] : runs.filter((run) => members.has(run));
  return inside.length > 0 ? inside : runs;
}

/** Groups that can be drawn: a difference ends where its baseline does. */
export function drawableGroups(groups: readonly Group[]): Group[] {
  const readable = groups.filter(({ error }) => error === null);
  return comparison.baseline ? readable.map(groupWithoutEnds) : readable;
}

/** The lines of groups in a chart, with their bands. */
export function groupLines(groups: readonly Group[], plan: ChartPlan): Curve[] {
  const { center, spread } = view.comparing;
  const names = new Map(plan.parts.map(({ name }) => [partTitle(name), name] as const));
  return groups.map((group) => {
    const style = styleOfLine({ run: group.key, tag: names.get(group.part) ?? "" }, plan);
    return groupCurve(group, { ...style, name: comparison.labelOf(group.key) }, center, spread);
  });
}

/** The lines of the groups of one chart. Lives as long as its component. */
export class GroupLines {
  /** Width of the plotting area in pixels; 0 before layout. */
  width = $state(0);
  readonly #plan: () => ChartPlan;
  readonly #hasValues: () => boolean;
  readonly shown;
  readonly #values;

  settings = $derived.by(() => settingsOfChart(this.#plan().key));
  groups = $derived.by(() => drawableGroups(comparison.baseline === undefined ? [] : (this.shown.value ?? [])));
  curves = $derived.by(() => groupLines(this.groups, this.#plan()));
  scaling = $derived.by(() => scalingOf(this.#plan().key, this.curves));
  zoom = $derived.by(() => zooms.boxOf(this.#plan().key, this.curves, this.scaling));
  /** What the groups are without a baseline; empty until it is read. */
  values = $derived.by<readonly Group[]>(() => (comparison.baseline ? (this.#values.value ?? []) : this.groups));

  /** To be made while its component is; `hasValues` says whether values are needed beside differences. */
  constructor(plan: () => ChartPlan, hasValues: () => boolean) {
    this.#plan = plan;
    this.#hasValues = hasValues;
    this.shown = createResource(groupCurves, () => this.#query(true));
    this.#values = createResource(groupCurves, () => (this.#hasValues() && comparison.baseline ? this.#query(false) : null));
  }

  get isWaiting(): boolean {
    return this.shown.value === null && this.shown.problem === null && comparison.baseline !== undefined;
  }

  #query(isDifference: boolean): GroupQuery | null {
    return this.width === 0 ? null : groupQuery(this.#plan(), Math.ceil(this.width / PIXELS) * PIXELS, isDifference);
  }
}
