// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";

import { bandBetween } from "./margin";

function line(x: number[], values: number[], smoothed: number[] | null = null) {
  const isAscending = x.every((place, row) => row === 0 || place >= x[row - 1]!);
  return { x: Float64Array.from(x), raw: Float64Array.from(values), smoothed: smoothed && Float64Array.from(smoothed), isAscending };
}

test("a band has the values of its bounds at equal steps, and straight ones between them", () => {
  const band = bandBetween(line([0, 1, 2, 3, 4], [0, 0, 0, 0, 0]), line([0, 2, 3], [1, 3, 9]), line([1, 2, 3, 4], [5, 6, 7, 8]));
  expect([...band!.low]).toEqual([1, 2, 3, 9, NaN]);
  expect([...band!.high]).toEqual([NaN, 5, 6, 7, 8]);
});

test("smoothed bounds belong to a smoothed line", () => {
  const bound = line([0, 1], [1, 2], [1, 1.5]);
  expect([...bandBetween(line([0, 1], [0, 0]), bound, bound)!.low]).toEqual([1, 1.5]);
});

test("a line that goes back has no band, and a bound without points no values", () => {
  const flat = line([0, 1], [1, 1]);
  expect(bandBetween(line([1, 0], [0, 0]), flat, flat)).toBeNull();
  expect([...bandBetween(flat, line([], []), flat)!.low]).toEqual([NaN, NaN]);
});
