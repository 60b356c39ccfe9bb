// SPDX-License-Identifier: Apache-2.0
import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { darkestWeight, LineDensity } from "./density";

function weightsOf(width: number, height: number, ...lines: (readonly [readonly number[], readonly number[]])[]): number[][] {
  const density = new LineDensity(width, height);
  for (const [x, y] of lines) density.add(x, y);
  const weights = density.weights();
  return Array.from({ length: width }, (_, column) => [...weights.slice(column * height, (column + 1) * height)]);
}

describe("the density of lines", () => {
  it("counts the lines in each pixel", () => {
    expect(
      weightsOf(
        2,
        3,
        [
          [0, 2],
          [1.5, 1.5],
        ],
        [
          [0, 2],
          [1.2, 1.2],
        ],
        [
          [0, 2],
          [2.5, 2.5],
        ],
      ),
    ).toEqual([
      [0, 2, 1],
      [0, 2, 1],
    ]);
  });

  it("gives a line the same weight in every column, however steep it is there", () => {
    const inside = fc.double({ min: 0.01, max: 19.99, noNaN: true });
    fc.assert(
      fc.property(fc.array(inside, { minLength: 2, maxLength: 30 }), (y) => {
        const x = y.map((_, row) => (row * 10) / (y.length - 1));
        for (const column of weightsOf(10, 20, [x, y])) expect(column.reduce((sum, weight) => sum + weight, 0)).toBeCloseTo(1, 4);
      }),
    );
  });

  it("leaves gaps where there is no value, and leaves out what lies outside", () => {
    expect(
      weightsOf(4, 1, [
        [0.5, 1.5, 2.5, 3.5],
        [0.5, NaN, 0.5, 0.5],
      ]),
    ).toEqual([[1], [0], [1], [1]]);
    expect(
      weightsOf(
        2,
        2,
        [
          [-5, 5],
          [-4, -4],
        ],
        [
          [-5, 5],
          [9, 9],
        ],
      ),
    ).toEqual([
      [0, 0],
      [0, 0],
    ]);
  });

  it("has a darkest weight that a single crossing does not set", () => {
    expect(darkestWeight(Float32Array.from({ length: 1000 }, (_, index) => (index === 0 ? 200 : 1)))).toBe(1);
    expect(darkestWeight(new Float32Array(4))).toBe(1);
  });
});
