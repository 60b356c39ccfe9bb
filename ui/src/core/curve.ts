// SPDX-License-Identifier: Apache-2.0
import { axisPositions, type Axis, type Range } from "./axis";
import { finiteExtent, paddedExtent, positionExtent } from "./extent";
import { isAscending, type Series } from "./series";
import type { Box } from "./zoom";

/** One line of a chart. What it means (a run, a tag) is known to the page only. */
export interface Curve {
  key: string;
  label: string;
  /** A CSS colour, tokens allowed. */
  colour: string;
  x: Float64Array;
  raw: Float32Array;
  /** Drawn in front of the faint raw values; null when there is no smoothing. */
  smoothed: Float32Array | null;
  isAscending: boolean;
}

/** The curve of a run: named and keyed by the run. */
export function curveOf(series: Series, axis: Axis, colour: string): Curve {
  const x = axisPositions(axis, series, series.startWallTime);
  return {
    key: series.run,
    label: series.run,
    colour,
    x,
    raw: series.value,
    smoothed: series.smoothed,
    isAscending: isAscending(x),
  };
}

/** What a chart shows without zoom: all of x, and raw and smoothed values with air around. */
export function wholeBox(curves: readonly Curve[], isLog: boolean): Box {
  const values = curves.flatMap((curve) => (curve.smoothed ? [curve.raw, curve.smoothed] : [curve.raw]));
  return {
    x: positionExtent(finiteExtent(curves.map((curve) => curve.x))),
    y: paddedExtent(finiteExtent(values, isLog), isLog),
  };
}

/** Height for a zoom along x only: the rows inside the range decide. */
export function heightWithin(curves: readonly Curve[], range: Range, isLog: boolean): Range {
  const inside = curves.map((curve) => curve.raw.filter((_, row) => curve.x[row]! >= range[0] && curve.x[row]! <= range[1]));
  return paddedExtent(finiteExtent(inside, isLog), isLog);
}
