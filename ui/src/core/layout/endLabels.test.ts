// SPDX-License-Identifier: Apache-2.0
import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { labelsWithRoom } from "./endLabels";

const SPACING = 13;
const label = (x: number, y: number, width = 40) => ({ text: "", color: "", x, y, width });

describe("labels at the ends of lines", () => {
  it("never overlap, stay at their ends, and the first is there if its end is in sight", () => {
    const ends = fc.array(
      fc.record({ x: fc.double({ min: 0, max: 500, noNaN: true }), y: fc.double({ min: -90, max: 300, noNaN: true }) }),
      {
        maxLength: 60,
      },
    );
    fc.assert(
      fc.property(ends, (ends) => {
        const labels = ends.map(({ x, y }) => label(x, y));
        const kept = labelsWithRoom(labels, [8, 208], SPACING);
        for (const [index, one] of kept.entries()) {
          expect(labels).toContain(one);
          expect(one.y >= 8 && one.y <= 208).toBe(true);
          for (const other of kept.slice(index + 1))
            expect(Math.abs(one.y - other.y) >= SPACING || Math.abs(one.x - other.x) >= 40).toBe(true);
        }
        const first = labels.find(({ y }) => y >= 8 && y <= 208);
        expect(kept[0]).toBe(first);
      }),
    );
  });

  it("leaves out a name that another one covers, the less important one", () => {
    const labels = [label(500, 100), label(500, 105), label(500, 120), label(300, 104)];
    expect(labelsWithRoom(labels, [0, 200], SPACING)).toEqual([labels[0], labels[2], labels[3]]);
  });
});
