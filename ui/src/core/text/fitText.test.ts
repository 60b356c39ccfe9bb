// SPDX-License-Identifier: Apache-2.0
import fc from "fast-check";
import { expect, it } from "vitest";

import { fittingCount } from "./fitText";

it("counts what fits on one line, with room for the rest", () => {
  expect(fittingCount([30, 30], 60, 20)).toBe(2);
  expect(fittingCount([30, 30], 59, 20)).toBe(1);
  expect(fittingCount([30, 30, 30], 80, 20)).toBe(2);
  expect(fittingCount([30, 30, 30], 79, 20)).toBe(1);
  expect(fittingCount([30, 30], 49, 20)).toBe(0);
  expect(fittingCount([], 0, 20)).toBe(0);
});

it("continues on the next line", () => {
  expect(fittingCount([50, 50, 50], 60, 20, 3)).toBe(3);
  expect(fittingCount([50, 50, 50, 50], 60, 20, 3)).toBe(2);
  expect(fittingCount([50, 50, 40, 50], 60, 20, 3)).toBe(3);
  expect(fittingCount([90, 30, 30], 60, 20, 3)).toBe(3);
});

it("never needs more lines than there are", () => {
  const boxes = fc.array(fc.integer({ min: 1, max: 60 }), { maxLength: 12 });
  fc.assert(
    fc.property(boxes, fc.integer({ min: 60, max: 200 }), fc.integer({ min: 1, max: 3 }), (all, width, lines) => {
      const count = fittingCount(all, width, 30, lines);
      const shown = [...all.slice(0, count), ...(count < all.length ? [30] : [])];
      let needed = shown.length === 0 ? 0 : 1;
      let taken = 0;
      for (const box of shown) {
        if (taken + box > width) [needed, taken] = [needed + 1, 0];
        taken += box;
      }
      expect(needed).toBeLessThanOrEqual(lines);
    }),
  );
});
