// SPDX-License-Identifier: Apache-2.0
import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { axisLayout, draggedOrder, fittedEnd, MIN_DISTANCE, roomBelow } from "./axisLayout";

describe("the places of axes", () => {
  it("fill the room", () => {
    const { xs, width, headRows } = axisLayout(900, 20, [40, 40, 40]);
    expect([xs[0], xs[2], width, headRows]).toEqual([34, 870, 900, 1]);
  });

  it("keep their distance in a room that is too small", () => {
    const { xs, width, distance } = axisLayout(
      300,
      50,
      Array.from({ length: 12 }, () => 50),
    );
    expect(distance).toBe(MIN_DISTANCE);
    expect(width).toBeGreaterThan(xs[11]!);
    expect(width).toBeGreaterThan(300);
  });

  it("have heads that never overlap", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 200, max: 2000 }),
        fc.array(fc.integer({ min: 10, max: 300 }), { minLength: 2, maxLength: 14 }),
        (room, heads) => {
          const { width, heads: boxes } = axisLayout(room, 40, heads);
          boxes.forEach((box, index) => {
            const next = boxes.slice(index + 1).find(({ row }) => row === box.row);
            if (next) expect(box.middle + box.width / 2).toBeLessThanOrEqual(1e-6 + next.middle - next.width / 2);
            expect(box.middle - box.width / 2).toBeGreaterThanOrEqual(-1e-6);
            expect(box.middle + box.width / 2).toBeLessThanOrEqual(width + 1e-6);
          });
        },
      ),
    );
  });

  it("have labels below them that stay in the chart", () => {
    const layout = axisLayout(400, 30, [10, 10, 10]);
    expect(layout.xs.map((_, index) => roomBelow(layout, index))).toEqual([2 * layout.xs[0]!, layout.distance, 60]);
  });

  it("are taken by a dragged axis", () => {
    const layout = { xs: [0, 100, 200] };
    expect(draggedOrder(["a", "b", "c"], "a", 140, layout)).toEqual(["b", "a", "c"]);
    expect(draggedOrder(["a", "b", "c"], "c", -80, layout)).toEqual(["c", "a", "b"]);
    expect(draggedOrder(["a", "b", "c"], "b", 90, layout)).toEqual(["a", "b", "c"]);
  });
});

it("a long name keeps its end", () => {
  const measure = (text: string): number => text.length;
  expect(fittedEnd("model.lr", 8, measure)).toBe("model.lr");
  expect(fittedEnd("model.lr", 4, measure)).toBe("….lr");
  expect(fittedEnd("model.lr", 0, measure)).toBe("…");
});
