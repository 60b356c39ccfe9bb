// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";

import { cellCurve } from "./cellCurve";

function drawn(step: number[], value: number[]): ReturnType<typeof cellCurve> {
  return cellCurve({ step: Float64Array.from(step), value: Float64Array.from(value), points: 9 }, 103, 23);
}

test("a curve takes all the width and height", () => {
  expect(drawn([5, 10, 15], [4, 2, 0])).toEqual({ path: "M1.5 1.5L51.5 11.5L101.5 21.5", low: 0, high: 4, points: 9 });
});

test("NaN and infinities break the line, a point alone is a dot", () => {
  expect(drawn([0, 1, 2, 3, 4], [1, 3, NaN, 2, Infinity])!.path).toBe("M1.5 21.5L26.5 1.5M76.5 11.5h0");
  expect(drawn([7], [3])!.path).toBe("M1.5 11.5h0");
});

test("nothing finite is nothing to draw", () => {
  expect(drawn([0, 1], [NaN, Infinity])).toBeNull();
  expect(drawn([], [])).toBeNull();
});
