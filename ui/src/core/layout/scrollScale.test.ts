// SPDX-License-Identifier: Apache-2.0
import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { scaledRows } from "./scrollScale";

describe("rows of a scrolled table", () => {
  it("are those under the viewport", () => {
    expect(scaledRows(100, 20, { top: 200, height: 100 }, 0)).toEqual({ height: 2000, first: 10, end: 15, offset: 200 });
  });

  it("reach the first and the last of very many", () => {
    const count = 250_000_000;
    const at = (top: number): ReturnType<typeof scaledRows> => scaledRows(count, 24, { top, height: 600 }, 0);
    expect(at(0)).toMatchObject({ first: 0, end: 25, height: 8_000_000 });
    expect(at(8_000_000 - 600).end).toBe(count);
    expect(at(8_000_000 - 600).first).toBe(count - 25);
  });

  it("always fill the viewport", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 1e9 }),
        fc.integer({ min: 50, max: 2000 }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (count, height, share) => {
          const total = scaledRows(count, 24, { top: 0, height }).height;
          const top = Math.max(0, total - height) * share;
          const rows = scaledRows(count, 24, { top, height });
          expect(rows.offset).toBeLessThanOrEqual(top + 1e-6);
          const bottom = rows.offset + (rows.end - rows.first) * 24;
          expect(bottom + 1e-3).toBeGreaterThanOrEqual(Math.min(top + height, total));
        },
      ),
    );
  });
});
