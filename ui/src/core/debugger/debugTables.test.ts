// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";

import { curveTable, heatTable, rowsTable } from "./debugTables";

test("what was not recorded is an empty cell, an infinity stays", () => {
  expect(curveTable("max", [1, 2, 3], [0.5, NaN, Infinity], [0, 4, 1])).toEqual({
    header: ["step", "max", "non_finite"],
    rows: [
      [1, 0.5, 0],
      [2, null, 4],
      [3, Infinity, 1],
    ],
  });
});

test("cells of a heat map are column by column", () => {
  expect(heatTable(["a", "b"], [10, 20], [1, 2, 3, NaN])).toEqual({
    header: ["tensor", "10", "20"],
    rows: [
      ["a", 1, 3],
      ["b", 2, null],
    ],
  });
});

test("pages of rows follow each other", () => {
  const page = (name: string, value: number) => ({
    tensors: [{ name }],
    figures: { max: Float64Array.of(value) } as Record<string, Float64Array>,
  });
  expect(rowsTable([page("a", 1), page("b", NaN)], ["name"], (tensor) => tensor.name, ["max", "min"])).toEqual({
    header: ["name", "max", "min"],
    rows: [
      ["a", 1, null],
      ["b", null, null],
    ],
  });
});
