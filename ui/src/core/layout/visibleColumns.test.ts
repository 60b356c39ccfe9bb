// SPDX-License-Identifier: Apache-2.0
import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { columnEdges, columnWindow } from "./visibleColumns";

describe("columnWindow", () => {
  it("holds every column in sight, whatever the widths", () => {
    const widths = fc.array(fc.integer({ min: 40, max: 400 }), { maxLength: 60 });
    fc.assert(
      fc.property(widths, fc.nat(9000), fc.nat(2000), fc.nat(3), (some, left, width, spare) => {
        const edges = columnEdges(some);
        const { first, end } = columnWindow(edges, { left, width }, spare);
        some.forEach((_, column) => {
          const isInSight = edges[column + 1]! > left && edges[column]! < left + width;
          if (isInSight) expect(first <= column && column < end).toBe(true);
        });
        expect(first).toBeLessThanOrEqual(end);
      }),
    );
  });

  it("holds no more than is in sight, and the spare ones", () => {
    const edges = columnEdges([100, 50, 50, 100, 100]);
    expect(columnWindow(edges, { left: 120, width: 60 }, 0)).toEqual({ first: 1, end: 3 });
    expect(columnWindow(edges, { left: 120, width: 60 }, 1)).toEqual({ first: 0, end: 4 });
    expect(columnWindow(columnEdges([]), { left: 0, width: 500 }, 2)).toEqual({ first: 0, end: 0 });
  });
});
