// SPDX-License-Identifier: Apache-2.0
import fc from "fast-check";
import { expect, test } from "vitest";

import { figureDifference, figureNumber, ulpBars, ulpSpan, ulpTick } from "./tensorDifference";

test("figures say what is not known and what is infinite", () => {
  expect([figureNumber(null), figureNumber("inf"), figureNumber(2)]).toEqual([NaN, Infinity, 2]);
  expect([figureDifference(3, 5), figureDifference(null, 1), figureDifference(1, undefined)]).toEqual([-2, null, null]);
});

test("bars cover all powers of two up to the farthest pair, and lose no pair", () => {
  expect(ulpBars([])).toEqual([{ most: 0, count: 0 }]);
  fc.assert(
    fc.property(fc.uniqueArray(fc.integer({ min: -1, max: 63 }), { minLength: 1 }), (powers) => {
      const counts = powers.map((power, count) => ({ most: power < 0 ? 0 : 2 ** power, count: count + 1 }));
      const bars = ulpBars(counts);
      expect(bars).toHaveLength(Math.max(...powers) + 2);
      expect(bars.reduce((sum, { count }) => sum + count, 0)).toBe((powers.length * (powers.length + 1)) / 2);
      expect(bars.every(({ most }, place) => place < 2 || most === 2 * bars[place - 1]!.most)).toBe(true);
    }),
  );
});

test("distances are written as spans and as ticks", () => {
  expect([0, 1, 2, 4, 8].map((most) => ulpSpan(most, String))).toEqual(["0", "1", "2", "3 – 4", "5 – 8"]);
  expect([0, 512, 1024, 2 ** 31].map(ulpTick)).toEqual(["0", "512", "2^10", "2^31"]);
});
