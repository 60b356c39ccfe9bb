// SPDX-License-Identifier: Apache-2.0
import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { crosses, labelsWithRoom } from "./endLabels";

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

describe("a line and a label", () => {
  const line = (...points: [number, number][]) => ({
    x: Float64Array.from(points, ([x]) => x),
    y: Float64Array.from(points, ([, y]) => y),
  });
  const name = label(100, 50);

  it("cross where the line goes through the box of the letters, or has a point in it", () => {
    expect(crosses(line([0, 50], [300, 50]), name, 14)).toBe(true);
    expect(crosses(line([120, 0], [120, 200]), name, 14)).toBe(true);
    expect(crosses(line([90, 0], [150, 100]), name, 14)).toBe(true);
    expect(crosses(line([0, NaN], [110, 52], [200, NaN]), name, 14)).toBe(true);
  });

  it("do not where it passes above, below or beside, or has a gap there", () => {
    expect(crosses(line([0, 42], [300, 42]), name, 14)).toBe(false);
    expect(crosses(line([0, 50], [99, 50]), name, 14)).toBe(false);
    expect(crosses(line([141, 50], [300, 50]), name, 14)).toBe(false);
    expect(crosses(line([0, 50], [120, NaN], [300, 50]), name, 14)).toBe(false);
    expect(crosses(line([0, 0], [300, 300]), label(200, 50), 14)).toBe(false);
  });

  it("that cross cost the label its room, not that of others", () => {
    const labels = [label(100, 50), label(100, 80)];
    expect(labelsWithRoom(labels, [0, 200], SPACING, ({ y }) => y === 50)).toEqual([labels[1]]);
  });

  it("do not touch a label that begins where another one ends", () => {
    expect(labelsWithRoom([label(100, 50), label(140, 50), label(146, 55)], [0, 200], SPACING)).toEqual([label(100, 50), label(146, 55)]);
  });
});
