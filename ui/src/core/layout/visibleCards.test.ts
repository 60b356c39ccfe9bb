// SPDX-License-Identifier: Apache-2.0
import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { cardShape, sectionRows, sectionTops, visibleRows, type CardSection } from "./visibleCards";

const LEAST = 150;
const sections = fc.array(
  fc.record({ heights: fc.array(fc.integer({ min: LEAST, max: 450 }), { maxLength: 200 }), head: fc.constantFrom(0, 32) }),
  { minLength: 1, maxLength: 20 },
);

const SHAPE = { columns: 4, height: 100 };

function section(count: number, isWide = false): CardSection<number> {
  return { key: "", title: "", items: Array.from({ length: count }, (_, item) => item), isHeadless: false, isWide };
}

describe("visibleRows", () => {
  it("holds every row in sight, and few others", () => {
    fc.assert(
      fc.property(sections, fc.nat(40_000), fc.integer({ min: 100, max: 2000 }), (list, top, height) => {
        const rows = list.map(({ heights, head }) => ({ head, tops: heights.reduce((tops, one) => [...tops, tops.at(-1)! + one], [0]) }));
        const held = visibleRows(rows, { top, height });
        let at = 0;
        let count = 0;
        list.forEach(({ heights, head }, index) => {
          const { first, end } = held[index]!;
          at += head;
          heights.forEach((rowHeight, row) => {
            const isInSight = at < top + height && at + rowHeight > top;
            if (isInSight) expect(row >= first && row < end).toBe(true);
            at += rowHeight;
          });
          count += end - first;
          expect(end).toBeLessThanOrEqual(heights.length);
        });
        expect(count).toBeLessThanOrEqual(height / LEAST + 2 + 3 * list.length);
      }),
    );
  });
});

describe("sections", () => {
  it("begin after the heads and the rows of those before them; wide cards take the room of two", () => {
    const all = [section(4), section(4, true), section(9), section(1)];
    expect(sectionTops(all.map((one) => sectionRows(one, true, SHAPE)))).toEqual([0, 132, 364, 696]);
    expect(sectionTops(all.slice(1, 3).map((one) => sectionRows(one, false, SHAPE)))).toEqual([0, 32]);
  });

  it("have rows as high as the card that needs most, for which the charts of a page that fits give room", () => {
    const tables = { ...section(6), extraOf: (item: number) => (item === 1 ? 80 : item === 5 ? 20 : 0) };
    expect(sectionRows(tables, true, SHAPE).tops).toEqual([0, 180, 300]);
    const room = { width: 1600, height: 1000 };
    const [without, shape] = [cardShape([section(6)], () => true, "small", room), cardShape([tables], () => true, "small", room)];
    expect(shape.columns).toBe(without.columns);
    expect(sectionRows(tables, true, shape).tops.at(-1)).toBeLessThanOrEqual(room.height);
  });
});
