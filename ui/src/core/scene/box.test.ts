// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";

import { boxOfNumbers, centerOf, radiusOf, sizeOf, unionBox } from "./box";

test("the box around boxes holds all of them", () => {
  const [one, other] = [boxOfNumbers([0, 0, 0, 1, 2, 3])!, boxOfNumbers([-1, 1, 1, 0.5, 5, 2])!];
  const both = unionBox([one, other])!;
  expect(both).toEqual({ low: [-1, 0, 0], high: [1, 5, 3] });
  expect(centerOf(both)).toEqual([0, 2.5, 1.5]);
  expect(sizeOf(both)).toEqual([2, 5, 3]);
  expect(radiusOf(both)).toBeCloseTo(Math.hypot(2, 5, 3) / 2);
});

test("nothing has no box, and one point has a radius", () => {
  expect(boxOfNumbers([])).toBeNull();
  expect(unionBox([])).toBeNull();
  expect(radiusOf(boxOfNumbers([4, 4, 4, 4, 4, 4])!)).toBe(1);
  expect(radiusOf(boxOfNumbers([-3e38, 0, 0, 3e38, 0, 0])!)).toBe(3e38);
});
