// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from "vitest";

import { finiteExtent, paddedExtent, positionExtent } from "./extent";

describe("extents", () => {
  it("leave out what is not finite, and what has no logarithm", () => {
    expect(finiteExtent([[1, NaN, Infinity], [-3]])).toEqual([-3, 1]);
    expect(finiteExtent([[0, -1, 5, 50]], true)).toEqual([5, 50]);
    expect(finiteExtent([[NaN], []])).toBeNull();
  });

  it("are never of zero width", () => {
    for (const isLog of [false, true]) {
      for (const extent of [null, [2, 2] as const, [1, 9] as const]) {
        const [low, high] = paddedExtent(extent, isLog);
        expect(low).toBeLessThan(high);
        if (isLog) expect(low).toBeGreaterThan(0);
      }
    }
    expect(positionExtent([5, 5])).toEqual([4, 6]);
  });
});
