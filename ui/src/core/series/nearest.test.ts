// SPDX-License-Identifier: Apache-2.0
import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { hitsByNearness, nearestRow } from "./nearest";

const positions = fc.array(fc.double({ min: -1e6, max: 1e6, noNaN: true }), { minLength: 1, maxLength: 50 });

describe("nearestRow", () => {
  it("is as near as any row, searched by halving or not", () => {
    fc.assert(
      fc.property(positions, fc.double({ min: -2e6, max: 2e6, noNaN: true }), (rows, x) => {
        const sorted = [...rows].sort((one, other) => one - other);
        const best = Math.min(...sorted.map((row) => Math.abs(row - x)));
        expect(Math.abs(sorted[nearestRow(sorted, x)]! - x)).toBe(best);
        expect(Math.abs(rows[nearestRow(rows, x, false)]! - x)).toBe(best);
      }),
    );
  });

  it("is -1 without rows", () => {
    expect(nearestRow([], 1)).toBe(-1);
    expect(nearestRow([], 1, false)).toBe(-1);
  });
});

describe("hitsByNearness", () => {
  const same = (value: number): number => value;
  const curve = (x: number[], y: number[]): { x: number[]; y: number[]; ascending: boolean; scale: number } => ({
    x,
    y,
    ascending: true,
    scale: 0,
  });

  it("puts the curve under the cursor first and those without a height last", () => {
    const curves = [curve([0, 10], [50, 50]), curve([0, 10], [2, 2]), curve([0, 10], [NaN, NaN]), curve([], [])];
    const hits = hitsByNearness(curves, { x: 9, pixelX: 9, pixelY: 0 }, same, same);
    expect(hits.map((hit) => [hit.curve, hit.row])).toEqual([
      [1, 1],
      [0, 1],
      [2, 1],
    ]);
  });
});
