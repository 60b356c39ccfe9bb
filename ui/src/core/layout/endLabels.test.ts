// SPDX-License-Identifier: Apache-2.0
import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { placeLabels } from "./endLabels";

describe("labels at the ends of lines", () => {
  it("never overlap and never leave the chart, whatever the lines end at", () => {
    fc.assert(
      fc.property(fc.array(fc.double({ min: -500, max: 900, noNaN: true }), { maxLength: 60 }), (ends) => {
        const placed = placeLabels(
          ends.map((end) => ({ text: "", color: "", end })),
          8,
          200,
          13,
        );
        for (const { at } of placed) expect(at >= 8 - 1e-9 && at <= 208 + 1e-9).toBe(true);
        for (let index = 1; index < placed.length; index++)
          expect(placed[index]!.at - placed[index - 1]!.at).toBeGreaterThanOrEqual(13 - 1e-9);
        expect(placed.length).toBe(Math.min(ends.length, 15));
      }),
    );
  });

  it("are at the end of the line where there is room", () => {
    const ends = [100, 20, 60];
    expect(
      placeLabels(
        ends.map((end) => ({ text: "", color: "", end })),
        0,
        200,
        13,
      ).map(({ at }) => at),
    ).toEqual([20, 60, 100]);
  });
});
