// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from "vitest";

import { AxisScale } from "./axisScale";
import type { LineageCell, LineageColumn, ScaleKind } from "./column";
import { axisParts, targetGrid } from "./targetGroups";

function column(cells: readonly LineageCell[]): LineageColumn {
  return { id: "x", group: "metric", name: "x", kind: "float", count: 0, low: null, high: null, differs: true, goal: "max", cells };
}

const scaleOf = (cells: readonly LineageCell[], scale: ScaleKind): AxisScale =>
  new AxisScale(
    { column: column(cells), scale, isTurned: false },
    cells.map((_, row) => row),
  );

it("an axis has parts of equal width, or its categories", () => {
  expect(axisParts(scaleOf([1, 1000], "log"), 3).map(({ label }) => label)).toEqual(["1 – 10", "10 – 100", "100 – 1000"]);
  expect(axisParts(scaleOf(["b", "a", "b"], "category"), 9).map(({ label }) => label)).toEqual(["a", "b"]);
});

describe("a grid of means", () => {
  const target = column([1, 3, 10, null, { number: "NaN" }, 7, 8]);
  const grid = targetGrid(
    scaleOf([0, 0.1, 1, 1, 1, 0.9, null], "linear"),
    scaleOf(["a", "a", "b", "b", "b", "a", "a"], "category"),
    target,
    [0, 1, 2, 3, 4, 5, 6],
    2,
  );

  it("has the mean and the number of runs of each cell", () => {
    expect([...grid.means]).toEqual([2, 7, NaN, 10]);
    expect([...grid.counts]).toEqual([2, 1, 0, 1]);
  });

  it("counts the runs that it leaves out", () => {
    expect([grid.unplaced, grid.withoutTarget]).toEqual([1, 2]);
  });
});
