// SPDX-License-Identifier: Apache-2.0
import { axisPositions, type Axis, type Range } from "../scales/axis";
import { finiteExtent, nearRange, paddedExtent, positionExtent } from "../scales/extent";
import { countOf, isAscending, type Series, type Floats } from "./series";
import type { Dash } from "./dashes";
import type { Box } from "../scales/zoom";

/** One line of a chart. What it means (a run, a tag) is known to the page only. */
export interface Curve {
  key: string;
  label: string;
  /** What people read instead of the label. */
  name?: string;
  /** Which of several parts of a chart; "" where a chart has only one. */
  part: string;
  /** A CSS color, tokens allowed. */
  color: string;
  x: Float64Array;
  raw: Floats;
  /** Drawn in front of the faint raw values; null when there is no smoothing. */
  smoothed: Floats | null;
  /** Drawn in front of a band in place of dense raw values; null elsewhere. */
  mean: Floats | null;
  isAscending: boolean;
  /** Which of the chart's vertical axes; 0 is the one on the left. */
  scale: number;
  dash: Dash;
  /** Edges of an area around the line, row by row; null for a line alone. */
  band: Band | null;
  /** Values that say which of the curve are far; null: the raw ones do. */
  quantiles: Floats | null;
  /** Part of the density of a chart of many curves rather than a line of its own. */
  isBehind?: boolean;
  /** Which of many curves matter most; the lowest rank first. */
  rank?: number;
  /** A person highlighted it: it is named before the others. */
  isFocused?: boolean;
}

export interface Band {
  low: Floats;
  high: Floats;
}

/** How values become heights and positions become places. */
export interface Scaling {
  isLog: boolean;
  isLogX: boolean;
  /** Fit the height to what is near: far values are marked on the edge instead. */
  ignoresOutliers: boolean;
  /** Ends of the first vertical axis that a person set; null for those of the data. */
  limits: Limits;
}

export type Limits = readonly [low: number | null, high: number | null];
export const NO_LIMITS: Limits = [null, null];

/** Ranges of all axes of a chart. */
export interface Ranges {
  x: Range;
  ys: readonly Range[];
  /** Vertical axes on which nothing has a height: their range means nothing, and none is written beside them. */
  bare?: readonly boolean[];
}

/** Curves are flat when far values leave the others less than this part of the height. */
const FLATTENED = 12;
/** Few values are far: a twentieth of all. */
const FEW_SHARE = 0.05;

export const LINE = { part: "", scale: 0, dash: [], band: null, mean: null, quantiles: null } as const;

/** The values of a curve that are drawn as its line. */
export function lineOf({ raw, smoothed, mean }: Pick<Curve, "raw" | "smoothed" | "mean">): Floats {
  return smoothed ?? mean ?? raw;
}

/** The curve of a run: named and keyed by the run. `offset` moves it along the axis. */
export function curveOf(series: Series, axis: Axis, color: string, offset = 0): Curve {
  const positions = series.x ?? axisPositions(axis, series, series.start_wall_time);
  const x = offset === 0 ? positions : positions.map((position) => position + offset);
  return {
    ...LINE,
    key: series.run,
    label: series.run,
    color,
    x,
    raw: series.value,
    smoothed: series.smoothed,
    quantiles: series.quantiles,
    isAscending: isAscending(x),
  };
}

/** What the vertical axes hold, from the first: raw and smoothed values. Null where nothing has a height. */
export function heightExtents(curves: readonly Curve[], scaling: Scaling, guides: readonly number[] = []): (Range | null)[] {
  const scales = Math.max(1, ...curves.map((curve) => curve.scale + 1));
  return Array.from({ length: scales }, (_, scale) => {
    const some = curves.filter((curve) => curve.scale === scale);
    const near = scaling.ignoresOutliers ? nearRange(valuesOf(some), scaling.isLog) : null;
    const raw = some.map((curve) => curve.raw);
    // Not of smoothed values: they come back from an outlier slowly, and would make room for much of it.
    const extent = (near && finiteExtent(raw, scaling.isLog, near)) ?? finiteExtent(columnsOf(some), scaling.isLog);
    return scale === 0 ? withGuides(extent, guides, scaling.isLog) : extent;
  });
}

/**
 * What a chart shows without zoom: all of x, and on each vertical axis what it holds with air around. `shared` are extents of
 * other charts with the same vertical axes.
 */
export function wholeRanges(
  curves: readonly Curve[],
  scaling: Scaling,
  guides: readonly number[] = [],
  shared: readonly (Range | null)[] = [],
): Ranges {
  const extents = heightExtents(curves, scaling, guides).map((extent, scale) => {
    const other = shared[scale] ?? null;
    return extent && other ? finiteExtent([extent, other]) : extent;
  });
  return {
    x: positionExtent(
      finiteExtent(
        curves.map((curve) => curve.x),
        scaling.isLogX,
      ),
      scaling.isLogX,
    ),
    ys: extents.map((extent, scale) => {
      const range = paddedExtent(extent, scaling.isLog);
      return scale === 0 ? limited(range, scaling) : range;
    }),
    bare: extents.map((extent) => extent === null),
  };
}

/** A range with the ends that a person set, unless the axis can't have them. */
function limited([low, high]: Range, { isLog, limits }: Pick<Scaling, "isLog" | "limits">): Range {
  const [bottom, top] = [limits[0] ?? low, limits[1] ?? high];
  return bottom < top && !(isLog && bottom <= 0) ? [bottom, top] : [low, high];
}

/** Curves whose few far values would leave the others nearly no height. */
export function areFlattened(curves: readonly Curve[], isLog: boolean): boolean {
  const scales = new Set(curves.map(({ scale }) => scale));
  return [...scales].some((scale) =>
    isFlattened(
      curves.filter((curve) => curve.scale === scale),
      isLog,
    ),
  );
}

function isFlattened(curves: readonly Curve[], isLog: boolean): boolean {
  const values = valuesOf(curves);
  const range = nearRange(values, isLog);
  if (range === null) return false;
  const near = finiteExtent([values], isLog, range);
  const whole = finiteExtent(
    curves.map(({ raw }) => raw),
    isLog,
  );
  if (near === null || whole === null || near[0] === near[1]) return false;
  const [low, high] = near.map(isLog ? Math.log10 : Number) as [number, number];
  const [bottom, top] = whole.map(isLog ? Math.log10 : Number) as [number, number];
  if ((high - low) * FLATTENED >= top - bottom) return false;
  return countOf(values, (value) => value < near[0] || value > near[1]) <= FEW_SHARE * values.length;
}

/**
 * The values by which curves are judged. Drawn rows are not: which of them a reduction keeps, and what a band covers,
 * depends on the horizontal axis and on the width.
 */
function valuesOf(curves: readonly Curve[]): number[] {
  return curves.flatMap(({ quantiles, raw }) => [...(quantiles ?? raw)]);
}

/** Finite values that the chart leaves out of its height. */
export function farCount(curves: readonly Curve[], scaling: Scaling): number {
  const { ys } = wholeRanges(curves, scaling);
  const isFar = (value: number, [low, high]: Range): boolean =>
    Number.isFinite(value) && !(scaling.isLog && value <= 0) && (value < low || value > high);
  return curves.reduce((sum, curve) => sum + countOf(curve.raw, (value) => isFar(value, ys[curve.scale]!)), 0);
}

/** Rows at places without a logarithm. */
export function unplacedCount(curves: readonly Curve[]): number {
  return curves.reduce((sum, { x }) => sum + x.reduce((count, place) => count + Number(place <= 0), 0), 0);
}

function columnsOf(curves: readonly Curve[]): Floats[] {
  return curves.flatMap(({ raw, smoothed, band }) => [raw, ...(smoothed ? [smoothed] : []), ...(band ? [band.low, band.high] : [])]);
}

/** A guide that is not far away is brought into sight. */
function withGuides(extent: Range | null, guides: readonly number[], isLog: boolean): Range | null {
  if (extent === null) return finiteExtent([guides], isLog);
  const reach = extent[1] - extent[0] || Math.abs(extent[1]);
  const near = guides.filter((guide) => guide > extent[0] - reach && guide < extent[1] + reach);
  return finiteExtent([extent, near], isLog);
}

/** Ranges of a zoomed chart: the box says x and the first vertical axis, the others show the same share of theirs. */
export function rangesOf(box: Box, whole: Ranges, { isLog, isLogX }: Pick<Scaling, "isLog" | "isLogX">): Ranges {
  const [x, y] = [withLogarithm(box.x, whole.x, isLogX), withLogarithm(box.y, whole.ys[0]!, isLog)];
  const toLine = isLog ? Math.log10 : (value: number): number => value;
  const fromLine = isLog ? (value: number): number => 10 ** value : (value: number): number => value;
  const [bottom, top] = whole.ys[0]!.map(toLine) as [number, number];
  const shares = y.map((edge) => (toLine(edge) - bottom) / (top - bottom)) as [number, number];
  const others = whole.ys.slice(1).map((range) => {
    const [low, high] = range.map(toLine) as [number, number];
    return [fromLine(low + shares[0] * (high - low)), fromLine(low + shares[1] * (high - low))] as const;
  });
  return { ...whole, x, ys: [y, ...others] };
}

/** A side of a box that was dragged while the axis was linear may begin where there is no logarithm: then the data decides. */
function withLogarithm(side: Range, whole: Range, isLog: boolean): Range {
  if (!isLog || side[0] > 0) return side;
  return side[1] > whole[0] ? [whole[0], side[1]] : whole;
}

/** Height for a zoom along x only: the rows inside the range decide. */
export function heightWithin(curves: readonly Curve[], range: Range, scaling: Pick<Scaling, "isLog" | "limits">): Range {
  const inside = curves
    .filter((curve) => curve.scale === 0)
    .map((curve) => curve.raw.filter((_, row) => curve.x[row]! >= range[0] && curve.x[row]! <= range[1]));
  return limited(paddedExtent(finiteExtent(inside, scaling.isLog), scaling.isLog), scaling);
}
