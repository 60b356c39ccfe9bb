// SPDX-License-Identifier: Apache-2.0
import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { balancedGrid } from "./balancedGrid";

describe("a balanced grid", () => {
  it("fills its rows", () => {
    expect(balancedGrid(8, 4)).toEqual({ columns: 4, rows: 2, lastSpan: 1 });
    expect(balancedGrid(5, 4)).toEqual({ columns: 3, rows: 2, lastSpan: 2 });
    expect(balancedGrid(8, 3)).toEqual({ columns: 3, rows: 3, lastSpan: 2 });
    expect(balancedGrid(1, 4)).toEqual({ columns: 1, rows: 1, lastSpan: 1 });
  });

  it("leaves no room for any number of cards", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 40 }), fc.integer({ min: 1, max: 8 }), (count, most) => {
        const { columns, rows, lastSpan } = balancedGrid(count, most);
        expect(columns).toBeLessThanOrEqual(most);
        expect((count - 1 + lastSpan) % columns).toBe(0);
        expect(count - 1 + lastSpan).toBeLessThanOrEqual(columns * rows);
      }),
    );
  });
});
