// SPDX-License-Identifier: Apache-2.0
import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { figureCurve } from "./figureCurve";

describe("the curve of a figure", () => {
  it("reaches a limit that is near", () => {
    const rangeOf = (limit: number): number => figureCurve([1, 2], [1, 8], [0, 0], (step) => step, 100, limit).range![1];
    expect(rangeOf(100)).toBeGreaterThanOrEqual(100);
    expect(rangeOf(1000)).toBeLessThan(9);
  });

  it("keeps every extreme and every fault, whatever the width", () => {
    const values = fc.array(fc.record({ value: fc.oneof(fc.integer({ min: -50, max: 50 }), fc.constant(NaN)), bad: fc.boolean() }), {
      maxLength: 60,
    });
    fc.assert(
      fc.property(values, fc.integer({ min: 1, max: 80 }), (rows, width) => {
        const x = (step: number): number => (step / Math.max(1, rows.length)) * width;
        const value = rows.map((row) => row.value);
        const curve = figureCurve(
          rows.map((_, step) => step),
          value,
          rows.map(({ bad }) => Number(bad)),
          x,
          100,
        );
        const finite = value.filter(Number.isFinite);
        expect(curve.range === null).toBe(finite.length === 0);
        expect(new Set(curve.faults)).toEqual(new Set(rows.flatMap(({ bad }, step) => (bad ? [Math.round(x(step))] : []))));
        if (!curve.range) return;
        const [low, high] = curve.range;
        const drawn = curve.parts.flat().map(([, y]) => low + ((100 - y) / 100) * (high - low));
        expect(Math.max(...drawn)).toBeCloseTo(Math.max(...finite), 6);
        expect(Math.min(...drawn)).toBeCloseTo(Math.min(...finite), 6);
      }),
    );
  });

  it("is interrupted where nothing was recorded", () => {
    const curve = figureCurve([1, 2, 3, 4, 5], [1, 2, NaN, 4, 5], [0, 0, 3, 0, 0], (step) => step * 10, 50);
    expect(curve.parts.map((part) => part.map(([x]) => x))).toEqual([
      [10, 20],
      [40, 50],
    ]);
    expect(curve.faults).toEqual([30]);
  });

  it("stays at the upper end while a value is infinite", () => {
    const curve = figureCurve([1, 2, 3, 4], [0, 1, Infinity, Infinity], [0, 0, 9, 9], (step) => step * 10, 50);
    expect(curve.parts).toHaveLength(1);
    expect(curve.parts[0]!.slice(2)).toEqual([
      [30, 0],
      [40, 0],
    ]);
    expect(curve.parts[0]![1]![1]).toBeGreaterThan(0);
    expect(curve.isInfinite).toBe(true);
    expect(figureCurve([1], [5], [0], () => 0, 10).isInfinite).toBe(false);
  });

  it("has room around a constant", () => {
    expect(figureCurve([1], [0], [0], () => 0, 10).range).toEqual([-1, 1]);
    expect(figureCurve([1], [5], [0], () => 0, 10).range).toEqual([4.5, 5.5]);
  });
});
