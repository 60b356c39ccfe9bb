// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from "vitest";

import { LINE, type Curve } from "./curve";
import type { Hit } from "./nearest";
import { hitWindow, orderedHits } from "./tooltipRows";

function hit(curve: number): Hit {
  return { curve, row: 0, x: 0, distance: curve };
}

function curve(value: number): Curve {
  const one = Float32Array.of(value);
  return { ...LINE, key: String(value), label: "", color: "", x: Float64Array.of(0), raw: one, smoothed: null, isAscending: true };
}

const CURVES = [3, NaN, 7, -1].map(curve);
const HITS = CURVES.map((_, index) => hit(index));

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
});
