// SPDX-License-Identifier: Apache-2.0
import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { rowWindow } from "./visibleRows";

describe("a window of rows", () => {
  it("covers every row that is in sight", () => {
    fc.assert(
      fc.property(fc.nat(10000), fc.nat(400000), fc.nat(2000), (count, top, height) => {
        const { first, end } = rowWindow(count, 28, { top, height });
        expect(first).toBeGreaterThanOrEqual(0);
        expect(end).toBeLessThanOrEqual(count);
        expect(first).toBeLessThanOrEqual(end);
        const inSight = Math.floor(top / 28);
        if (inSight < count && height > 0) expect(first <= inSight && inSight < end).toBe(true);
      }),
    );
  });
});
