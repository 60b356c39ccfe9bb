// SPDX-License-Identifier: Apache-2.0
import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { completedList, rowAtStep, stepOfRow, unionOfSteps } from "./steps";

const steps = fc.uniqueArray(fc.integer({ min: -50, max: 500 })).map((list) => list.sort((one, other) => one - other));

describe("steps", () => {
  it("shows the last row up to a step", () => {
    expect([null, 0, 10, 15, 20, 99].map((step) => rowAtStep([10, 20, 30], step))).toEqual([2, 0, 0, 0, 1, 2]);
    expect([rowAtStep([], null), rowAtStep([], 3)]).toEqual([-1, -1]);
  });

  it("comes back to the row that it was made of", () => {
    fc.assert(
      fc.property(steps, fc.nat(), (list, seed) => {
        fc.pre(list.length > 0);
        const row = seed % list.length;
        expect(rowAtStep(list, stepOfRow(list, row))).toBe(row);
      }),
    );
  });

  it("joins the steps of several lists", () => {
    expect(unionOfSteps([[1, 5, 9], Float64Array.of(2, 5), []])).toEqual([1, 2, 5, 9]);
  });
});

describe("completedList", () => {
  it("puts the values that are known before those that were sent", () => {
    const list = (from: number, to: number, kept = 0): { kept: number; step: number[]; wall_time: (number | null)[]; id: string[] } => {
      const step = Array.from({ length: to - from }, (_, index) => from + index);
      return { kept, step, wall_time: step.map((each) => (each === 3 ? null : each)), id: step.map(String) };
    };
    fc.assert(
      fc.property(fc.nat(9), fc.nat(9), fc.nat(9), (size, some, more) => {
        const kept = Math.min(some, size);
        expect(completedList(list(kept, size + more, kept), list(0, size))).toEqual(list(0, size + more));
      }),
    );
    expect(completedList(list(2, 4), undefined)).toEqual(list(2, 4));
  });
});
