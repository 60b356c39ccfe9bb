// SPDX-License-Identifier: Apache-2.0
import fc from "fast-check";
import { expect, test } from "vitest";

import { colorRange } from "./colorRange";

test("a few diverged runs don't take the colors of the others", () => {
  const good = Array.from({ length: 90 }, (_, index) => 0.85 + index / 900);
  expect(colorRange([...good, ...Array.from({ length: 10 }, () => 0.1), NaN, Infinity], false)).toEqual([0.85, good.at(-1)]);
});

test("each of a few runs has a color of its own", () => {
  expect(colorRange([0.9, 0.85, 0.29], false)).toEqual([0.29, 0.9]);
});

test("values of even spread all have a color", () => {
  fc.assert(
    fc.property(fc.integer({ min: 2, max: 200 }), fc.integer({ min: -50, max: 50 }), (count, first) => {
      const even = Array.from({ length: count }, (_, index) => first + index);
      expect(colorRange(even, false)).toEqual([first, first + count - 1]);
    }),
  );
});

test("values that are nearly all equal keep the others", () => {
  expect(colorRange([1, 1, 1, 1, 1, 1, 1, 2], false)).toEqual([1, 2]);
});

test("on a logarithmic scale the decades count, and what has no logarithm is left out", () => {
  const [low, high] = colorRange([-1, 0, 0.001, 0.01, 0.1, 1], true)!;
  expect([low, high].map((value) => Number(value.toPrecision(6)))).toEqual([0.001, 1]);
  expect(colorRange([0, NaN], true)).toBeNull();
});
