// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from "vitest";

import { cellSize, colorRange, type Heat } from "./heat";

function heatOf(numbers: readonly number[]): Heat {
  const finite = numbers.filter(Number.isFinite);
  return {
    shape: [1, numbers.length],
    cells: [1, numbers.length],
    rows: { dimension: null, start: 0, step: 1, size: 1 },
    columns: { dimension: 0, start: 0, step: 1, size: numbers.length },
    is_reduced: false,
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
    expect(colorRange(heatOf([...Array<number>(500).fill(0), 7]), false)).toEqual({
      low: 0,
      high: 7,
      isLowClipped: false,
      isHighClipped: false,
    });
  });

  it("of few numbers is that of all, of none there is none", () => {
    expect(colorRange(heatOf([0, 1, 1e9, -7]), false)).toEqual({ low: -7, high: 1e9, isLowClipped: false, isHighClipped: false });
    expect(colorRange(heatOf([2.5]), false)).toEqual({ low: 2.5, high: 2.5, isLowClipped: false, isHighClipped: false });
    expect(colorRange(heatOf([NaN]), false)).toBeNull();
  });
});

describe("the cells of a heat map", () => {
  const size = (rows: number, columns: number, room = { width: 400, height: 200 }) =>
    cellSize({ shape: [rows, columns], cells: [rows, columns] }, room);

  it("are square in a small matrix, however long, and in a large one that is not long", () => {
    expect(size(3, 3)).toEqual({ width: 48, height: 48 });
    expect(size(1, 20)).toEqual({ width: 20, height: 20 });
    expect(size(20, 1)).toEqual({ width: 10, height: 10 });
    expect(size(200, 300)).toEqual({ width: 1, height: 1 });
  });

  it("are longer than wide where a long matrix would be a thin line", () => {
    expect(size(2, 200)).toEqual({ width: 2, height: 12 });
    expect(size(100, 2)).toEqual({ width: 12, height: 2 });
  });

  it("fit the room", () => {
    for (const [rows, columns] of [
      [1, 500],
      [7, 90],
      [64, 64],
      [900, 3],
    ] as const) {
      const { width, height } = size(rows, columns);
      expect(width * columns).toBeLessThanOrEqual(400.001);
      expect(height * rows).toBeLessThanOrEqual(200.001);
    }
  });
});
