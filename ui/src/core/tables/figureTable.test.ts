// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from "vitest";

import { figureColumns, figureTable, type FigureColumn } from "./figureTable";

const columns: FigureColumn[] = [
  { key: "lr", title: "lr", parameter: 1, tag: -1, figure: null },
  { key: "scalar/loss last", title: "loss", parameter: -1, tag: 0, figure: "last" },
];
const figures = { first: 9, minimum: 0, maximum: 9, mean: 3 };
const facts = {
  parameters: new Map([["a", ["adam", 0.1]]]),
  series: [
    { run: 0, tag: 0, last: 2, ...figures },
    { run: 1, tag: 0, last: "NaN", ...figures },
    { run: 2, tag: 0, last: 1, ...figures },
  ],
};

describe("the table of a comparison", () => {
  it("has the figures of each tag beside each other", () => {
    expect(figureColumns(["loss", "acc"], ["last", "mean"]).map(({ key }) => key)).toEqual([
      "scalar/loss last",
      "scalar/loss mean",
      "scalar/acc last",
      "scalar/acc mean",
    ]);
  });

  it("holds parameters and figures where there are some", () => {
    expect(figureTable(["a", "b"], columns, facts, [])).toEqual([
      { run: "a", cells: [0.1, 2] },
      { run: "b", cells: [null, NaN] },
    ]);
  });

  it("is sorted by a column, with runs that have nothing there last", () => {
    const rows = figureTable(["a", "b", "c", "d"], columns, facts, [{ column: "scalar/loss last", isDescending: true }]);
    expect(rows.map(({ run }) => run).slice(0, 2)).toEqual(["a", "c"]);
    expect(rows.at(-1)!.run).toBe("d");
    expect(figureTable(["a", "b", "c"], columns, facts, [{ column: "run", isDescending: true }]).map(({ run }) => run)).toEqual([
      "c",
      "b",
      "a",
    ]);
  });
});
