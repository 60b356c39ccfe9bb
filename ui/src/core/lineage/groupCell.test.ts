// SPDX-License-Identifier: Apache-2.0
import fc from "fast-check";
import { describe, expect, it } from "vitest";

import type { LineageCell } from "./column";
import { groupCell, settingValues } from "./groupCell";

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

describe("a setting of a group of runs", () => {
  const values = (cells: readonly LineageCell[]): ReturnType<typeof settingValues> => settingValues(all(cells));

  it("is a set of a few values: numbers ascend, others are the most common first", () => {
    expect(values([0.1, 0.001, 0.1, null])).toEqual({ set: [0.001, 0.1] });
    expect(values(["SGD", "Adam", "Adam"])).toEqual({ set: ["Adam", "SGD"] });
    expect(values([3])).toEqual({ set: [3] });
    expect(values([{ number: "NaN" }, 2, 1])).toEqual({ set: [1, 2, { number: "NaN" }] });
    expect(values([null, null])).toBeNull();
  });

  it("is a range of many numbers, and nothing of many texts", () => {
    expect(values([5, 1, 4, 2, 3])).toEqual({ low: 1, high: 5 });
    expect(values(["a", "b", "c", "d", "e"])).toBeNull();
  });

  it("holds no number that no run has", () => {
    fc.assert(
      fc.property(fc.array(fc.integer(), { minLength: 1 }), (numbers) => {
        const got = values(numbers)!;
        const said = "set" in got ? (got.set as number[]) : [got.low, got.high];
        expect(said.every((number) => numbers.includes(number))).toBe(true);
        expect(Math.min(...said)).toBe(Math.min(...numbers));
        expect(Math.max(...said)).toBe(Math.max(...numbers));
      }),
    );
  });
});
