// SPDX-License-Identifier: Apache-2.0
import fc from "fast-check";
import { expect, it } from "vitest";

import { binOf, binsOf } from "./bins";

it("leaves few different numbers alone", () => {
  expect(binsOf([0.1, 0.01, 0.1, 0.001])).toBeNull();
});

it("parts rates by powers of ten and counts evenly", () => {
  const rates = Array.from({ length: 41 }, (_, index) => 10 ** (-5 + index / 10));
  expect(binsOf(rates)!.map(({ low }) => Math.log10(low))).toHaveLength(5);
  expect(binsOf(rates)![1]!.low).toBeCloseTo(10 ** -4.2);
  expect(binsOf(Array.from({ length: 10 }, (_, index) => index + 10))!.map(({ low, high }) => [low, high])).toEqual([
    [10, 11],
    [12, 13],
    [14, 15],
    [16, 17],
    [18, 19],
  ]);
});

it("puts every number into one bin", () => {
  fc.assert(
    fc.property(fc.array(fc.double({ noNaN: true, noDefaultInfinity: true, min: -1e9, max: 1e9 }), { minLength: 20 }), (values) => {
      const bins = binsOf(values);
      for (const value of bins ? values : []) expect(bins!.filter((bin) => binOf([bin], value))).toHaveLength(1);
      expect(bins?.length ?? 0).toBeLessThanOrEqual(5);
    }),
  );
});
