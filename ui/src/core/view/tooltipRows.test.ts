// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from "vitest";

import { curveOf, LINE, type Curve } from "../series/curve";
import type { Hit } from "../series/nearest";
import type { Series } from "../series/series";
import { hitWindow, orderedHits, tooltipRows } from "./tooltipRows";

function hit(curve: number): Hit {
  return { curve, row: 0, x: 0, distance: curve };
}

function curve(value: number): Curve {
  const one = Float32Array.of(value);
  return { ...LINE, key: String(value), label: "", color: "", x: Float64Array.of(0), raw: one, smoothed: null, isAscending: true };
}

const CURVES = [3, NaN, 7, -1].map(curve);
const HITS = CURVES.map((_, index) => hit(index));

function series(values: number[], change: Partial<Series> = {}): Series {
  const rows = values.map((_, row) => row);
  return {
    run: "a",
    tag: "loss",
    points: values.length,
    returned: values.length,
    reduced: false,
    nan: 0,
    positive_infinity: 0,
    negative_infinity: 0,
    overwritten: 0,
    repeated: 0,
    start_wall_time: 100,
    first_step: 0,
    last_step: 0,
    version: 1,
    cursor: "3-0000000000000001",
    kept: 0,
    error: null,
    x: null,
    step: Float64Array.from(rows),
    wall_time: Float64Array.from(rows, (row) => 100 + row),
    value: Float32Array.from(values),
    smoothed: null,
    mean: null,
    quantiles: Float32Array.from(values),
    ...change,
  };
}

describe("the rows of a tip", () => {
  it("are sorted by value, either way, with what is no number last", () => {
    expect(orderedHits(HITS, CURVES, "nearest").map(({ curve }) => curve)).toEqual([0, 1, 2, 3]);
    expect(orderedHits(HITS, CURVES, "descending").map(({ curve }) => curve)).toEqual([2, 0, 3, 1]);
    expect(orderedHits(HITS, CURVES, "ascending").map(({ curve }) => curve)).toEqual([3, 0, 2, 1]);
  });

  it("are as many as fit around the nearest one", () => {
    const hits = Array.from({ length: 40 }, (_, index) => hit(index));
    expect(hitWindow(hits, hits[20]!, 12)).toEqual({ first: 14, end: 26 });
    expect(hitWindow(hits, hits[0]!, 12)).toEqual({ first: 0, end: 12 });
    expect(hitWindow(hits, hits[39]!, 12)).toEqual({ first: 28, end: 40 });
    expect(hitWindow(hits.slice(0, 3), hits[1]!, 12)).toEqual({ first: 0, end: 3 });
  });

  it("shows raw and smoothed value, step and times of the hit rows", () => {
    const one = series([5, 6], { smoothed: Float32Array.of(5, 5.5) });
    const curve = curveOf(one, "relative", "#000");
    expect(tooltipRows([{ curve: 0, row: 1, x: 1, distance: 0 }], [curve], [one], 5)).toEqual([
      { key: "a", label: "a", part: "", color: "#000", dash: [], value: 6, smoothed: 5.5, step: 1, relative: 1, wall_time: 101 },
    ]);
  });
});
