// SPDX-License-Identifier: Apache-2.0
import fc from "fast-check";
import { expect, test } from "vitest";

import { contourLevels, heightOf, lossAtShare, lossOfHeight, lossScale, scaleTicks, shareUpTo, sortedLosses } from "./lossScale";

const bowl = sortedLosses([Float64Array.from({ length: 400 }, (_, index) => 1 + ((index % 20) - 10) ** 2 / 50)]);
const cliff = sortedLosses([bowl, [1e6, 2e6, NaN, Infinity]]);

test("a bowl is not cut, a cliff is", () => {
  expect(lossScale(bowl, false, "auto")).toEqual({ low: 1, high: 3, isLog: false, isCut: false });
  const cut = lossScale(cliff, false, "auto")!;
  expect(cut.isCut).toBe(true);
  expect(cut.high).toBeGreaterThan(2.5);
  expect(cut.high).toBeLessThan(5);
  expect(heightOf(cut, 1e6)).toBe(1);
  expect(lossScale(cliff, false, "none")).toMatchObject({ high: 2e6, isCut: false });
  expect(lossScale(cliff, false, 2)).toMatchObject({ high: 2, isCut: true });
  expect(lossScale(bowl, false, -5), "a cut below everything cuts nothing").toMatchObject({ high: 3, isCut: false });
});

test("a logarithmic scale begins at the smallest positive loss", () => {
  const scale = lossScale(sortedLosses([[-1, 0, 0.01, 1, 100]]), true, "auto")!;
  expect(scale).toEqual({ low: 0.01, high: 100, isLog: true, isCut: false });
  expect(heightOf(scale, 1)).toBeCloseTo(0.5, 12);
  expect(heightOf(scale, 0)).toBe(0);
  expect(contourLevels(scale, 3).map((level) => Number(level.toPrecision(6)))).toEqual([0.1, 1, 10]);
  expect(lossScale(sortedLosses([[-1, 0]]), true, "auto")).toBeNull();
});

test("equal losses have a height and no contours", () => {
  const scale = lossScale(sortedLosses([[2, 2, 2]]), false, "auto")!;
  expect(heightOf(scale, 2)).toBe(0.5);
  expect(contourLevels(scale, 9)).toEqual([]);
  expect(scaleTicks(scale, 5)).toEqual([2]);
  expect(lossScale(new Float64Array(0), false, "auto")).toBeNull();
});

test("heights and losses are the inverse of each other, within the scale", () => {
  const positive = fc.double({ min: 1e-6, max: 1e6, noNaN: true });
  fc.assert(
    fc.property(positive, positive, fc.boolean(), fc.double({ min: 0, max: 1, noNaN: true }), (one, other, isLog, height) => {
      fc.pre(Math.abs(one - other) > 1e-3 * Math.max(one, other));
      const scale = lossScale(sortedLosses([[one, other]]), isLog, "none")!;
      expect(heightOf(scale, lossOfHeight(scale, height))).toBeCloseTo(height, 6);
    }),
  );
});

test("a share of the losses and its level", () => {
  const sorted = Float64Array.of(1, 2, 3, 4, 5);
  expect(lossAtShare(sorted, 0.5)).toBe(3);
  expect(shareUpTo(sorted, 3)).toBe(0.6);
  expect(lossAtShare(new Float64Array(0), 0.5)).toBeNaN();
});
