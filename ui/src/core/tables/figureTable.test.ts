// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from "vitest";

import { columnGroups, figureColumns, figureTable, type FigureColumn } from "./figureTable";

const columns: FigureColumn[] = [
  { key: "lr", title: "lr", parameter: 1, tag: -1, figure: null },
  { key: "last loss", title: "loss", parameter: -1, tag: 0, figure: "last" },
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
  it("has the parameters that differ first, then the figures of each tag under one head", () => {
    const parameters = [
      { key: "parameter/lr", name: "lr", differs: true },
      { key: "parameter/seed", name: "seed", differs: false },
    ];
    const made = (showsEqual: boolean): FigureColumn[] => figureColumns(parameters, showsEqual, ["loss", "acc"], ["last", "mean"]);
    expect(made(false).map(({ key }) => key)).toEqual(["parameter/lr", "last loss", "mean loss", "last acc", "mean acc"]);
    expect(columnGroups(made(true)).map(({ tag, size }) => [tag, size])).toEqual([
      [null, 2],
      ["loss", 2],
      ["acc", 2],
    ]);
    expect(columnGroups(made(true).slice(1, 3)).map(({ size }) => size)).toEqual([1, 1]);
  });

  it("holds parameters and figures where there are some", () => {
    expect(figureTable(["a", "b"], columns, facts, null)).toEqual([
      { run: "a", cells: [0.1, 2] },
      { run: "b", cells: [null, NaN] },
    ]);
  });

  it("is sorted by a column, with runs that have nothing there last", () => {
    const rows = figureTable(["a", "b", "c", "d"], columns, facts, { column: "last loss", isDescending: true });
    expect(rows.map(({ run }) => run).slice(0, 2)).toEqual(["a", "c"]);
    expect(rows.at(-1)!.run).toBe("d");
  });
});
