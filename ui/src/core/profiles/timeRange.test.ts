// SPDX-License-Identifier: Apache-2.0
import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { clamped, LEAST_NS, moved, revealing, scaled, wholeRange } from "./timeRange";

const DURATION = 1_000_000;
const ranges = fc
  .tuple(fc.integer({ min: -DURATION, max: 2 * DURATION }), fc.integer({ min: 1, max: 3 * DURATION }))
  .map(([begin, width]) => ({ begin, end: begin + width }));

describe("a range of time", () => {
  it("stays within the timeline and within the widths that are shown", () => {
    fc.assert(
      fc.property(
        ranges,
        fc.double({ min: 0.01, max: 100, noNaN: true }),
        fc.integer({ min: -DURATION, max: DURATION }),
        (range, factor, by) => {
          const whole = wholeRange(DURATION);
          for (const next of [clamped(range, DURATION), scaled(range, factor, range.begin, DURATION), moved(range, by, DURATION)]) {
            expect(next.begin).toBeGreaterThanOrEqual(whole.begin - 1e-6);
            expect(next.end).toBeLessThanOrEqual(whole.end + 1e-6);
            expect(next.end - next.begin).toBeGreaterThanOrEqual(LEAST_NS - 1e-6);
          }
        },
      ),
    );
  });

  it("keeps the place under the pointer while it is zoomed", () => {
    const next = scaled({ begin: 100_000, end: 300_000 }, 0.5, 150_000, DURATION);
    expect(next).toEqual({ begin: 125_000, end: 225_000 });
  });

  it("moves only to show what is out of sight", () => {
    const range = { begin: 100_000, end: 200_000 };
    expect(revealing(range, 120_000, 10, DURATION)).toBe(range);
    expect(revealing(range, 500_000, 10, DURATION)).toEqual({ begin: 450_005, end: 550_005 });
    const wide = revealing(range, 300_000, 400_000, DURATION);
    expect(wide.begin).toBeLessThan(300_000);
    expect(wide.end).toBeGreaterThan(700_000);
  });
});
