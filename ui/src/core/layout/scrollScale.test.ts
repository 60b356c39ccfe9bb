// SPDX-License-Identifier: Apache-2.0
import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { lastRow, rowAtTop, rowsAt, scaledRows, topOfRow } from "./scrollScale";
import { rowWindow } from "./visibleRows";

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

  it("are at the position of the scroll bar that belongs to the row at the upper edge", () => {
    fc.assert(
      fc.property(fc.integer({ min: 100, max: 1e9 }), fc.double({ min: 0, max: 1, noNaN: true }), (count, share) => {
        const scale = { count, size: 20, height: 600 };
        const row = lastRow(scale) * share;
        expect(rowAtTop(scale, topOfRow(scale, row))).toBeCloseTo(row, 3);
      }),
    );
  });

  it("are all rows of a window where a pixel of the scroll bar is one of the rows", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 40, max: 10_000 }),
        fc.nat(2000),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (count, height, share) => {
          const scale = { count, size: 28, height };
          const row = lastRow(scale) * share;
          const rows = rowsAt(scale, row, 8);
          const window = rowWindow(count, 28, { top: row * 28, height });
          expect(Math.abs(rows.first - window.first) + Math.abs(rows.end - window.end)).toBeLessThanOrEqual(1); // a rounded edge
          expect(rows).toMatchObject({ height: count * 28, offset: rows.first * 28 });
        },
      ),
    );
  });
});
