// SPDX-License-Identifier: Apache-2.0
import type { Range } from "../scales/axis";
import { finiteExtent } from "../scales/extent";
import { countOf, lastValue, type Series } from "./series";

/** What must be said beside the curves of one chart so that they are honest. */
export interface ChartCounts {
  points: number;
  returned: number;
  isReduced: boolean;
  nan: number;
  infinite: number;
  /** Hidden points of the whole series. */
  overwritten: number;
  repeated: number;
  /** Values without a logarithm among the loaded rows; a lower bound if the curve is reduced. */
  notPositive: number;
}

export function chartCounts(all: readonly Series[], isLog: boolean): ChartCounts {
  const sum = (count: (series: Series) => number): number => all.reduce((total, series) => total + count(series), 0);
  return {
    points: sum((series) => series.points),
    returned: sum((series) => series.returned),
    isReduced: all.some((series) => series.reduced),
    nan: sum((series) => series.nan),
    infinite: sum((series) => series.positive_infinity + series.negative_infinity),
    overwritten: sum((series) => series.overwritten),
    repeated: sum((series) => series.repeated),
    notPositive: isLog ? sum((series) => countOf(series.value, (value) => value <= 0 && value !== -Infinity)) : 0,
  };
}

export interface SeriesSummary {
  run: string;
  last: number | null;
  /** Reduction keeps the extremes, so these are exact. Null without a finite value. */
  minimum: number | null;
  maximum: number | null;
  points: number;
}

/** Figures of all rows, or of those at places within a range: the neighbors that the server gives beside it are none of it. */
export function seriesSummary(series: Series, part: { places: ArrayLike<number>; range: Range } | null = null): SeriesSummary {
  const isInside = (_: unknown, row: number): boolean =>
    part === null || (part.places[row]! >= part.range[0] && part.places[row]! <= part.range[1]);
  const value = series.value.filter(isInside);
  const extent = finiteExtent([value]);
  return {
    run: series.run,
    last: lastValue({ x: series.x && series.x.filter(isInside), step: series.step.filter(isInside), value }),
    minimum: extent?.[0] ?? null,
    maximum: extent?.[1] ?? null,
    points: series.points,
  };
}
