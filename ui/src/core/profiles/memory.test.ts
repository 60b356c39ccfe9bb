// SPDX-License-Identifier: Apache-2.0
import { expect, it } from "vitest";

import { areasAt, sizeAt, type AreaWindow, type SizeWindow } from "./memory";

const size: SizeWindow = {
  before: 4,
  pixel: Uint16Array.of(2, 5),
  low: Float64Array.of(1, 6),
  high: Float64Array.of(9, 8),
  last: Float64Array.of(2, 7),
};

it("holds a size until the next change, and shows the greatest one where it changes", () => {
  expect([0, 2, 3, 4, 5, 9].map((pixel) => sizeAt(size, pixel))).toEqual([4, 9, 2, 2, 8, 7]);
  expect(sizeAt({ ...size, before: null }, 1)).toBeNull();
});

it("reads areas one after the other", () => {
  const areas: AreaWindow = {
    device: "GPU 0",
    texts: ["a"],
    has_others: true,
    before: [1, 2],
    pixel: Uint16Array.of(3, 6),
    highest: Float64Array.of(10, 11, 20, 21),
    last: Float64Array.of(5, 6, 7, 8),
  };
  expect([0, 3, 4, 6].map((pixel) => areasAt(areas, pixel))).toEqual([
    [1, 2],
    [10, 20],
    [5, 7],
    [11, 21],
  ]);
});
