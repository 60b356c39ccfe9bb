// SPDX-License-Identifier: Apache-2.0
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { gridValues, linkMatrix, mergedColumns, numberRanges, rankGrid, valueRange, type RankSteps } from "./rankGrid";

function stepsOf(rows: readonly [rank: number, cycle: number, step: number][]): RankSteps {
  const column = (place: number): Float64Array => Float64Array.from(rows, (row) => row[place]!);
  const [profile, begin] = [new Float64Array(rows.length), new Float64Array(rows.length)];
  return { rank: column(0), cycle: column(1), step: column(2), profile, begin, columns: {} };
}

describe("rankGrid", () => {
  it("has a cell for each step of each rank, also for missing ones", () => {
    const steps = stepsOf([
      [0, 0, 5],
      [0, 1, 3],
      [4, 0, 5],
      [4, 0, 6],
    ]);
    const grid = rankGrid(steps);
    expect(grid.ranks).toEqual([0, 4]);
    expect(grid.columns).toEqual([
      { cycle: 0, step: 5 },
      { cycle: 0, step: 6 },
      { cycle: 1, step: 3 },
    ]);
    expect([...grid.rows]).toEqual([0, -1, 1, 2, 3, -1]);
    expect([...gridValues(grid, Float64Array.of(7, 8, 9, 10))]).toEqual([7, Number.NaN, 8, 9, 10, Number.NaN]);
  });

  it("finds the range of finite values", () => {
    expect(valueRange(Float64Array.of(3, Number.NaN, 1, Infinity))).toEqual({ low: 1, high: 3 });
    expect(valueRange(Float64Array.of(Number.NaN))).toBeNull();
  });

  it("keeps the greatest value of merged columns", () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 0, max: 99 }), { minLength: 1, maxLength: 40 }),
        fc.integer({ min: 1, max: 50 }),
        (row, most) => {
          const merged = mergedColumns(Float64Array.from([...row, ...row]), row.length, most);
          expect(merged.columns).toBe(Math.min(row.length, most));
          expect(Math.max(...merged.values.subarray(0, merged.columns))).toBe(Math.max(...row));
          expect(merged.values).toHaveLength(2 * merged.columns);
          expect(merged.values.every(Number.isFinite)).toBe(true);
        },
      ),
    );
    expect([...mergedColumns(Float64Array.of(Number.NaN, Number.NaN, 4, Number.NaN), 4, 2).values]).toEqual([Number.NaN, 4]);
  });
});

describe("linkMatrix", () => {
  it("has the links of one kind", () => {
    const links = {
      kinds: ["HCCS", "RDMA"],
      kind: Float64Array.of(0, 0, 1),
      source: Float64Array.of(0, 8, 1),
      destination: Float64Array.of(8, 0, 2),
      bytes: Float64Array.of(1, 2, 3),
      bandwidth: Float64Array.of(18, 9, 1),
    };
    const { ranks, values, rows } = linkMatrix(links, 0);
    expect(ranks).toEqual([0, 8]);
    expect([...values]).toEqual([Number.NaN, 18, 9, Number.NaN]);
    expect([...rows]).toEqual([-1, 0, 1, -1]);
  });
});

describe("numberRanges", () => {
  it("joins numbers that follow each other", () => {
    expect(numberRanges([0, 1, 2, 5, 7, 8])).toBe("0–2, 5, 7–8");
    expect(numberRanges([])).toBe("");
  });
});
