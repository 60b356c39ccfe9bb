// SPDX-License-Identifier: Apache-2.0
import fc from "fast-check";
import { describe, expect, it } from "vitest";

import type { LineageCell } from "./column";
import { groupCell } from "./groupCell";

const all = (cells: readonly LineageCell[]): ReturnType<typeof groupCell> => groupCell(cells, cells.keys());

describe("a group of runs in a column", () => {
  it("has the mean of numbers, between the smallest and the largest", () => {
    expect(all([1, null, 2, 6])).toMatchObject({ value: 3, low: 1, high: 6, finite: 3 });
    expect(groupCell([1, 100, 3], [0, 2])).toMatchObject({ value: 2, low: 1, high: 3 });
  });

  it("leaves NaN and infinities out of a mean, and out of nothing else", () => {
    const cells = [1, { number: "NaN" }, 3, { number: "-Infinity" }];
    expect(all(cells)).toMatchObject({ value: 2, low: 1, high: 3, finite: 2 });
    expect(all(cells).values).toHaveLength(4);
    expect(all([{ number: "NaN" }, { number: "NaN" }]).value).toEqual({ number: "NaN" });
  });

  it("has the value that all runs share, and else how many there are, the most common first", () => {
    expect(all(["Adam", null, "Adam"])).toMatchObject({ value: "Adam", low: null });
    expect(all(["SGD", "Adam", "Adam"])).toMatchObject({
      value: null,
      values: [
        ["Adam", 2],
        ["SGD", 1],
      ],
    });
    expect(all([1, "1", true])).toMatchObject({ value: null, low: null, finite: 0 });
    expect(all([1, "1", true]).values).toHaveLength(3);
    expect(all([null, null])).toMatchObject({ value: null, values: [] });
  });

  it("has a mean between its extremes, whatever the numbers are", () => {
    fc.assert(
      fc.property(fc.array(fc.double({ noNaN: true, noDefaultInfinity: true }), { minLength: 1 }), (numbers) => {
        const { value, low, high, finite } = all(numbers);
        expect([low, high, finite]).toEqual([Math.min(...numbers), Math.max(...numbers), numbers.length]);
        expect(value as number).toBeGreaterThanOrEqual(low!);
        expect(value as number).toBeLessThanOrEqual(high!);
      }),
    );
  });
});
