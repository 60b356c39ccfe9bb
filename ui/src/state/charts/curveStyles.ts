// SPDX-License-Identifier: Apache-2.0
import { isNoisy, softEnvelope } from "../../core/series/band";
import { axisNumbers, partTitle, type AxisSharing, type ChartPlan } from "../../core/view/chartPlan";
import type { Axis } from "../../core/scales/axis";
import { areFlattened, curveOf, type Curve, type Limits, type Scaling } from "../../core/series/curve";
import { bandBetween } from "../../core/series/margin";
import { AS_PAGE } from "../../core/view/chartSettings";
import { smoothingOf, UNSMOOTHED, type Smoothing } from "../../core/view/smoothing";
import type { Series } from "../../core/series/series";
import { labelText } from "../../core/runs/runNames";
import { boundText } from "../../core/view/threshold";
import { DENSE_CURVES, MANY_CURVES, rankedLabels, rankingOf, withDensity } from "../../core/series/topCurves";
import { SLOTS, slotColor } from "../../core/runs/colorAssignment";
import { dashOf, dashSign } from "../../core/series/dashes";
import { t } from "../../i18n/i18n.svelte";
import { comparison } from "./groupComparison.svelte";
import { annotations } from "../annotations/annotations.svelte";
import { runNames } from "../view/runNames.svelte";
import { view } from "../view/view.svelte";

/** Replaces the logarithm of x <= 0. */
const MIN_LOG = -300;
/** A band covers the raw values of this many pixels on each side. */
const BAND_PIXELS = 4;
/** Dashes of a part in a title. */
const MOST_SIGNS = 3;
/** From this many raw values for a pixel on they are dense. */
const DENSE_ROWS = 0.5;

/** Lines across the chart of a tag, for the limits that its thresholds name. */
export function thresholdGuides(tag: string): { value: number; label: string }[] {
  const mine = [...annotations.thresholds.values()].filter((threshold) => threshold.tag === tag && threshold.enabled);
  return mine.flatMap(({ bounds }) => bounds.map((bound) => ({ value: bound.limit, label: boundText(bound) })));
}

export function lineKey({ run, tag }: { run: string; tag: string }): string {
  return JSON.stringify([run, tag]);
}

/** Settings of one chart: its own override those of the page. Wall time has no useful logarithm. */
export interface ChartSettings {
  axis: Axis;
  /** Tag whose values are the x-axis; null for the axis itself. */
  xTag: string | null;
  smoothing: Smoothing;
  isLog: boolean;
  isLogX: boolean;
  /** Null ignores them where a curve would else be flat. */
  ignoresOutliers: boolean | null;
  /** Ends of the first vertical axis. */
  limits: Limits;
}

export function settingsOfChart(key: string): ChartSettings {
  const { scalars } = view;
  const own = scalars.own.get(key) ?? AS_PAGE;
  const smoothing = own.smoothing === null ? smoothingOf(scalars, view.smoothing) : { ...UNSMOOTHED, weight: own.smoothing };
  return { ...axesOfChart(key), smoothing };
}

/** Those that stay while a person drags the smoothing. */
function axesOfChart(key: string): Omit<ChartSettings, "smoothing"> {
  const { scalars } = view;
  const own = scalars.own.get(key) ?? AS_PAGE;
  const axis = own.axis ?? view.axis;
  const xTag = own.axis === null ? scalars.xTag : null;
  return {
    axis,
    xTag,
    isLog: view.isLogTag(key),
    isLogX: scalars.isLogX && (axis !== "wall" || xTag !== null),
    ignoresOutliers: own.ignoresOutliers ?? scalars.ignoresOutliers,
    limits: own.limits,
  };
}

/** How the axes of a chart are scaled for these curves. */
export function scalingOf(key: string, curves: readonly Curve[]): Scaling {
  const { isLog, isLogX, ignoresOutliers, limits } = axesOfChart(key);
  return { isLog, isLogX, ignoresOutliers: ignoresOutliers ?? areFlattened(curves, isLog), limits };
}

/** How far a person moved a run along the axis. */
export function offsetOfRun(run: string): number {
  const { offsets } = view.scalars;
  return Object.hasOwn(offsets, run) ? offsets[run]! : 0;
}

/** How far a run is moved along the axis of a chart, in all. */
export function offsetOf(key: string, run: string, firstStep: number): number {
  const { axis, xTag } = axesOfChart(key);
  const start = view.scalars.alignsStarts && axis === "step" && xTag === null ? -firstStep : 0;
  return start + offsetOfRun(run);
}

interface LineStyle extends Pick<Curve, "color" | "dash" | "part" | "rank"> {
  key?: string;
  scale?: number;
}

/**
 * Color and dash of the line of a run or a group, and its part, key and axis in a composed chart. Parts differ by dashes, as the
 * color identifies the run or group.
 */
export function styleOfLine({ run, tag }: { run: string; tag: string }, plan: ChartPlan): LineStyle {
  const { parts } = plan;
  if (parts.length <= 1) return { color: comparison.colorOf(run), dash: dashOf(comparison.repetitionOf(run)), part: "" };
  const part = partIndex(tag, plan);
  const isAlone = isOneColor(plan);
  const dashIndex = isAlone ? Math.floor(part / SLOTS) : comparison.repetitionOf(run) * parts.length + part;
  const names = parts.map(({ name }) => name);
  return {
    color: isAlone ? slotColor(part) : comparison.colorOf(run),
    dash: dashOf(dashIndex),
    part: partTitle(tag),
    key: lineKey({ run, tag }),
    scale: axisNumbers(names, sharingOf(plan))[part]!,
  };
}

/** The line of a series in a chart: its style, axis and band; `bounds` are the series around which a margin lies. */
export function lookOfLine(series: Series, plan: ChartPlan, offset: number, width: number, bounds: readonly Series[] = []): Curve {
  const style = styleOfLine(series, plan);
  const curve = { ...curveOf(series, axesOfChart(plan.key).axis, style.color, offset), ...style };
  const isDense = isBanded(curve, series.mean, width);
  return {
    ...curve,
    name: labelText(runNames.labelOf(series.run)),
    band: marginOf(series, curve, plan, offset, bounds) ?? (isDense ? bandOf(curve, width) : null),
    mean: isDense && curve.smoothed === null ? series.mean : null,
  };
}

/** The band between the bounds of a line; null where one of them is not read. */
function marginOf({ run, tag }: Series, curve: Curve, plan: ChartPlan, offset: number, bounds: readonly Series[]): Curve["band"] {
  const margin = plan.layout?.margins.find(({ value }) => value === tag);
  const lineOf = (name: string): Curve | undefined => {
    const bound = bounds.find((one) => one.run === run && one.tag === name && one.error === null);
    return bound && curveOf(bound, axesOfChart(plan.key).axis, "", offset);
  };
  const [lower, upper] = margin ? [lineOf(margin.lower), lineOf(margin.upper)] : [];
  return lower && upper ? bandBetween(curve, lower, upper) : null;
}

function partIndex(tag: string, { parts }: ChartPlan): number {
  return Math.max(
    0,
    parts.findIndex(({ name }) => name === tag),
  );
}

/** A dense raw curve would be an area, in which neither its own course nor another curve could be seen. */
function isBanded({ raw, smoothed, isAscending, x }: Curve, mean: Series["mean"], width: number): boolean {
  const { rawAs } = view.scalars;
  if (!isAscending || width === 0) return false;
  if (smoothed === null) return mean !== null && rawAs !== "line" && isNoisy(raw);
  return rawAs === "band" || (rawAs === "auto" && x.length > DENSE_ROWS * width);
}

/** Many curves with their ranks; of very many only the top ones and those that a person highlighted are lines. */
export function drawnCurves(curves: readonly Curve[], title: string): readonly Curve[] {
  if (curves.length < MANY_CURVES) return curves;
  const { topBy, topCount, focus } = view.scalars;
  const labels = [...new Set(rankedLabels(curves, rankingOf(topBy, title)))];
  const ranks = new Map(labels.map((label, rank) => [label, rank] as const));
  const ranked = curves.map((curve) => ({
    ...curve,
    rank: ranks.get(curve.label) ?? labels.length,
    isFocused: focus.includes(curve.label),
  }));
  if (ranks.size < DENSE_CURVES) return ranked;
  return withDensity(ranked, new Set([...focus, ...labels.slice(0, topCount)]));
}

/** Bands by raw values: those stay while the smoothing changes. */
const bands = new WeakMap<Curve["raw"], { x: Curve["x"]; width: number; isLogX: boolean; band: Curve["band"] }>();

function bandOf({ x, raw }: Curve, width: number): Curve["band"] {
  const { isLogX } = view.scalars;
  const known = bands.get(raw);
  if (known?.x === x && known.width === width && known.isLogX === isLogX) return known.band;
  const places = isLogX ? x.map((place) => Math.log10(Math.max(place, Number.MIN_VALUE))) : x;
  const first = places.find((place) => !isLogX || place > MIN_LOG) ?? 0;
  const reach = x.length < 2 ? 0 : ((places[places.length - 1]! - first) / width) * BAND_PIXELS;
  const band = softEnvelope(places, raw, reach);
  bands.set(raw, { x, width, isLogX, band });
  return band;
}

interface YAxisStyle {
  title: string;
  color: string | null;
  isTitled?: boolean;
}

/** The title of a chart: a person's, or what it shows. */
export function ownTitleOf({ key, title }: ChartPlan): string {
  return view.scalars.own.get(key)?.title || title;
}

/** The title below the horizontal axis of a chart outside of the page, which says it in its toolbar. */
export function xTitleOf(key: string): string {
  const { axis, xTag } = settingsOfChart(key);
  return (view.scalars.own.get(key) ?? AS_PAGE).xTitle || (xTag ?? t(`scalars.axis_${axis}`));
}

/** Each vertical axis: its parts, with the dashes of their lines where colors say runs or groups, else with the color of its only part. */
export function axesOf(plan: ChartPlan): YAxisStyle[] {
  const isComposed = plan.parts.length > 1;
  const isAlone = isOneColor(plan);
  const names = plan.parts.map(({ name }) => name);
  const axes = axisNumbers(names, sharingOf(plan));
  if (plan.layout && axes.every((axis) => axis === 0)) return [{ title: plan.title, color: null }];
  const titleOf = (name: string, part: number): string =>
    !isComposed || isAlone ? partTitle(name) : `${partTitle(name)}  ${dashSign(part)}`;
  return [...new Set(axes)].map((axis) => {
    const parts = names.flatMap((name, part) => (axes[part] === axis ? [{ name, part }] : []));
    return {
      title: parts.map(({ name, part }) => titleOf(name, part)).join(", "),
      color: isComposed && isAlone && parts.length === 1 ? slotColor(parts[0]!.part) : null,
    };
  });
}

/** Vertical axes with a title that a person gave the first one. */
export function titledAxes(axes: readonly YAxisStyle[], title: string): readonly YAxisStyle[] {
  return title === "" ? axes : axes.map((axis, index) => (index === 0 ? { ...axis, title, isTitled: true } : axis));
}

function sharingOf({ key, layout }: ChartPlan): AxisSharing {
  return (view.scalars.own.get(key) ?? AS_PAGE).yAxes ?? (layout ? "one" : null);
}

/** The title of a chart: parts have the dashes of their lines where colors say runs or groups. */
export function titleOf(plan: ChartPlan): string {
  const { parts, title, facet, key } = plan;
  const own = view.scalars.own.get(key)?.title ?? "";
  if (own !== "") return [own, ...(facet === undefined ? [] : [facet])].join(" · ");
  if (parts.length <= 1 || plan.layout || isOneColor(plan)) return title;
  const lines = new Set(parts.flatMap(({ runs }) => runs.map((run) => comparison.groupOf.get(run) ?? run)));
  const repetitions = [...new Set([...lines].map((line) => comparison.repetitionOf(line)))].sort().slice(0, MOST_SIGNS);
  const titles = parts.map(({ name }, part) => {
    const signs = repetitions.map((repetition) => dashSign(repetition * parts.length + part));
    return `${signs.join(" ")} ${partTitle(name)}`;
  });
  return [...titles, ...(facet === undefined ? [] : [facet])].join(" · ");
}

/** How many lines a chart has: one for each part and run, or group. */
export function lineCount({ parts }: ChartPlan): number {
  const { groupOf } = comparison;
  return parts.reduce((sum, { runs }) => sum + (comparison.isGrouped ? new Set(runs.map((run) => groupOf.get(run))).size : runs.length), 0);
}

/** All lines are of one run or group: then colors say the parts. */
function isOneColor({ parts }: ChartPlan): boolean {
  const groupOf = (run: string): string => comparison.groupOf.get(run) ?? run;
  const first = parts.find(({ runs }) => runs.length > 0)?.runs[0];
  return first !== undefined && parts.every(({ runs }) => runs.every((run) => groupOf(run) === groupOf(first)));
}
