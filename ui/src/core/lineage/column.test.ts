// SPDX-License-Identifier: Apache-2.0
import fc from "fast-check";
import { describe, expect, it } from "vitest";

import {
  cellText,
  shortCellText,
  compareCells,
  distinctCells,
  isMissing,
  numbersOf,
  suggestScale,
  type ColumnGroup,
  type ColumnKind,
  type LineageCell,
  type LineageColumn,
} from "./column";

function column(cells: readonly LineageCell[], kind: ColumnKind, group: ColumnGroup = "parameter"): LineageColumn {
  return { id: "x", group, name: "x", kind, count: cells.length, low: null, high: null, differs: true, goal: "max", cells };
}

const cell = fc.letrec<{ cell: LineageCell }>((tie) => ({
  cell: fc.oneof(
    fc.constant(null),
    fc.boolean(),
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.string(),
    fc.constantFrom("NaN", "Infinity", "-Infinity").map((number) => ({ number })),
    fc.array(tie("cell"), { maxLength: 3 }),
  ),
})).cell;

describe("cells", () => {
  it("are numbers only where they are numbers", () => {
    const cells = [1, null, true, "2", [3], { number: "-Infinity" }, { number: "NaN" }];
    expect([...numbersOf(column(cells, "mixed"))]).toEqual([1, NaN, NaN, NaN, NaN, -Infinity, NaN]);
    expect(cells.map(isMissing)).toEqual([false, true, false, false, false, false, false]);
  });

  it("are short to read", () => {
    const cells: LineageCell[] = [0.003921568859368563, [0.123456789, -1, null, "a", [2.0000001]], 224, "0.003921568859368563", null];
    expect(cells.map(shortCellText)).toEqual(["0.0039216", '[0.12346, \u22121, null, "a", [2]]', "224", "0.003921568859368563", ""]);
  });

  it("have a text", () => {
    expect([null, true, 0.0001, "a", ["a", 1, null, { number: "NaN" }], { number: "Infinity" }].map(cellText)).toEqual([
      "",
      "true",
      "0.0001",
      "a",
      '["a", 1, null, NaN]',
      "Infinity",
    ]);
  });

  it("have a total order", () => {
    fc.assert(
      fc.property(cell, cell, cell, (a, b, c) => {
        expect(Math.sign(compareCells(a, b))).toBe(-Math.sign(compareCells(b, a)) || 0);
        if (compareCells(a, b) <= 0 && compareCells(b, c) <= 0) expect(compareCells(a, c)).toBeLessThanOrEqual(0);
      }),
    );
  });

  it("that are infinite and equal are equal", () => {
    expect(compareCells({ number: "-Infinity" }, { number: "-Infinity" })).toBe(0);
    expect(compareCells({ number: "-Infinity" }, 0)).toBeLessThan(0);
  });

  it("are listed once, numbers by size and texts as people count", () => {
    expect(distinctCells(column([512, 64, null, 1024, 64, 8], "int"))).toEqual([8, 64, 512, 1024]);
    expect(distinctCells(column(["run_10", "run_2", [1], false, true, 3], "mixed"))).toEqual([3, false, true, "run_2", "run_10", [1]]);
    expect(distinctCells(column([3, 1, 2], "int"), [0, 2])).toEqual([2, 3]);
  });
});

describe("the suggested scale", () => {
  const many = (valueOf: (index: number) => LineageCell): LineageCell[] => Array.from({ length: 60 }, (_, index) => valueOf(index));

  it.each<[string, LineageColumn, string]>([
    ["texts", column(["adam", "sgd"], "text"), "category"],
    ["booleans", column([true, false], "bool"), "category"],
    ["lists", column([[1, 2]], "list"), "category"],
    ["mixed types", column([1, "auto"], "mixed"), "category"],
    ["no value", column([null], "empty"), "category"],
    ["no finite value", column([{ number: "NaN" }], "float"), "category"],
    [
      "few values of many runs",
      column(
        many((index) => 16 * 2 ** (index % 5)),
        "int",
      ),
      "category",
    ],
    [
      "few values of a metric",
      column(
        many((index) => (index % 2) / 2),
        "float",
        "metric",
      ),
      "linear",
    ],
    ["a value for each run", column([0.1, 0.2, 0.3], "float"), "linear"],
    ["two decades", column([0.1, 0.001], "float"), "log"],
    ["less than two decades", column([0.1, 0.0011], "float"), "linear"],
    ["two decades and a zero", column([0, 0.1, 0.001], "float"), "linear"],
    ["two decades and NaN", column([{ number: "NaN" }, 0.1, 0.001], "float"), "log"],
    [
      "many whole numbers",
      column(
        many((index) => index),
        "int",
      ),
      "linear",
    ],
    ["one value", column([3, 3], "int"), "category"],
  ])("of %s", (_, given, want) => {
    expect(suggestScale(given)).toBe(want);
  });
});
