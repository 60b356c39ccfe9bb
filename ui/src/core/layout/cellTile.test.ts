// SPDX-License-Identifier: Apache-2.0
import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { tileAround } from "./cellTile";

const window = fc.tuple(fc.nat(1_000_000), fc.nat(500)).map(([first, length]) => ({ first, end: first + length }));

describe("the cells that are read for a window", () => {
  it("hold the window and begin at whole tiles", () => {
    fc.assert(
      fc.property(window, window, (rows, columns) => {
        const tile = tileAround(rows, columns);
        expect(tile.row).toBeLessThanOrEqual(rows.first);
        expect(tile.row + tile.rows).toBeGreaterThanOrEqual(rows.end);
        expect(tile.column + tile.columns).toBeGreaterThanOrEqual(columns.end);
        expect([tile.row % 64, tile.rows % 64, tile.column % 32, tile.columns % 32]).toEqual([0, 0, 0, 0]);
        expect(tile.rows).toBeLessThan(rows.end - rows.first + 2 * 64 + 1);
      }),
    );
  });

  it("stay the same while the window moves within them", () => {
    expect(tileAround({ first: 3, end: 40 }, { first: 1, end: 9 })).toEqual(tileAround({ first: 8, end: 50 }, { first: 4, end: 12 }));
  });
});
