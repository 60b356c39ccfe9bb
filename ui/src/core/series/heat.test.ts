// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from "vitest";

import { colorRange, type Heat } from "./heat";

function heatOf(numbers: readonly number[]): Heat {
  const finite = numbers.filter(Number.isFinite);
  return {
    shape: [1, numbers.length],
    cells: [1, numbers.length],
    rows: { dimension: null, start: 0, step: 1, size: 1 },
    columns: { dimension: 0, start: 0, step: 1, size: numbers.length },
    isReduced: false,
    minimum: finite.length > 0 ? Math.min(...finite) : null,
    maximum: finite.length > 0 ? Math.max(...finite) : null,
    value: Float64Array.from(numbers),
    odd: Float32Array.from(numbers, (number) => (Number.isFinite(number) ? 0 : 1)),
  };
}

const EVEN = Array.from({ length: 200 }, (_, index) => index / 100 - 1);

describe("the range of the colors", () => {
  it("is that of all numbers where none lies far from the others", () => {
    expect(colorRange(heatOf(EVEN), false)).toEqual({ low: -1, high: 0.99, isLowClipped: false, isHighClipped: false });
  });

  it("leaves out the few that lie far, at their end only, unless all are wanted", () => {
    const heat = heatOf([...EVEN, 1e6, NaN, Infinity]);
    const near = colorRange(heat, false)!;
    expect([near.low, near.isLowClipped, near.isHighClipped]).toEqual([-1, false, true]);
    expect(near.high).toBeGreaterThan(0.9);
    expect(near.high).toBeLessThan(1);
    expect(colorRange(heat, true)).toEqual({ low: -1, high: 1e6, isLowClipped: false, isHighClipped: false });
  });

  it("keeps the whole where nearly all numbers are the same, as one that differs is what is looked for", () => {
    expect(colorRange(heatOf([...Array<number>(500).fill(0), 7]), false)).toEqual({ low: 0, high: 7, isLowClipped: false, isHighClipped: false });
  });

  it("of few numbers is that of all, of none there is none", () => {
    expect(colorRange(heatOf([0, 1, 1e9, -7]), false)).toEqual({ low: -7, high: 1e9, isLowClipped: false, isHighClipped: false });
    expect(colorRange(heatOf([2.5]), false)).toEqual({ low: 2.5, high: 2.5, isLowClipped: false, isHighClipped: false });
    expect(colorRange(heatOf([NaN]), false)).toBeNull();
  });
});
