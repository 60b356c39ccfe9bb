// SPDX-License-Identifier: Apache-2.0
import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { visibleRows, sectionTops } from "./visibleCards";

const sections = fc.array(fc.record({ rows: fc.nat(200), head: fc.constantFrom(0, 32) }), { minLength: 1, maxLength: 20 });

describe("visibleRows", () => {
  it("holds every row in sight, and few others", () => {
    fc.assert(
      fc.property(sections, fc.nat(40_000), fc.integer({ min: 100, max: 2000 }), (list, top, height) => {
        const rowHeight = 200;
        const held = visibleRows(list, rowHeight, { top, height });
        let at = 0;
        let count = 0;
        list.forEach(({ rows, head }, index) => {
          const { first, end } = held[index]!;
          at += head;
          for (let row = 0; row < rows; row++) {
            const isInSight = at < top + height && at + rowHeight > top;
            if (isInSight) expect(row >= first && row < end).toBe(true);
            at += rowHeight;
          }
          count += end - first;
          expect(end).toBeLessThanOrEqual(rows);
        });
        expect(count).toBeLessThanOrEqual(height / rowHeight + 2 + 3 * list.length);
      }),
    );
  });
});

describe("sections", () => {
  it("begin after the heads and the rows of those before them; wide cards take the room of two", () => {
    const section = (
      count: number,
      isWide = false,
    ): { key: string; title: string; items: unknown[]; isHeadless: boolean; isWide: boolean } => ({
      key: "",
      title: "",
      items: new Array(count),
      isHeadless: false,
      isWide,
    });
    const shape = { columns: 4, height: 100 };
    expect(sectionTops([section(4), section(4, true), section(9), section(1)], () => true, shape)).toEqual([0, 132, 364, 696]);
    expect(sectionTops([section(4), section(9)], () => false, shape)).toEqual([0, 32]);
  });
});
