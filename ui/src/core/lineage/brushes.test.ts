// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from "vitest";

import { GAP_KINDS, gapOf, passesBrushes, passingRows, type Brush } from "./brushes";
import type { LineageCell, LineageColumn } from "./column";

const CELLS: readonly LineageCell[] = [
  null,
  0,
  1,
  2.5,
  "a",
  true,
  [1, 2],
  { number: "NaN" },
  { number: "Infinity" },
  { number: "-Infinity" },
  -1,
];

function passing(...brushes: Brush[]): number[] {
  return CELLS.flatMap((cell, row) => (passesBrushes(cell, brushes) ? [row] : []));
}

function column(id: string, cells: readonly LineageCell[]): LineageColumn {
  return { id, group: "parameter", name: id, kind: "mixed", count: 0, low: null, high: null, differs: true, goal: "max", cells };
}

describe("a brush", () => {
  it("selects numbers from low to high", () => {
    expect(passing({ low: 0, high: 2.5 })).toEqual([1, 2, 3]);
  });

  it("selects values by their text, never missing ones", () => {
    expect(passing({ values: ["1", "a", "[1, 2]", "true", ""] })).toEqual([2, 4, 5, 6]);
  });

  it.each([
    ["missing", [0]],
    ["nan", [7]],
    ["positive_infinity", [8]],
    ["negative_infinity", [9]],
    ["not_positive", [1, 10]],
    ["not_a_number", [4, 5, 6]],
  ] as const)("selects cells without a place: %s", (gap, rows) => {
    expect(passing({ gaps: [gap] })).toEqual(rows);
  });

  it("adds to the other brushes of its column, and no brush selects all", () => {
    expect(passing({ gaps: ["missing"] }, { low: 2, high: 3 })).toEqual([0, 3]);
    expect(passing()).toHaveLength(CELLS.length);
  });
});

it.each(["linear", "log"] as const)("each cell of a %s axis has a place or a gap that a brush can select", (kind) => {
  for (const cell of CELLS) {
    const gap = gapOf(cell, kind);
    const found = GAP_KINDS.filter((each) => (kind === "log" || each !== "not_positive") && passesBrushes(cell, [{ gaps: [each] }]));
    expect(found).toEqual(gap === null ? [] : [gap]);
  }
});

it("a run passes the brushes of all columns", () => {
  const columns = [column("x", [1, 2, 3, null]), column("y", ["a", "b", "a", "a"])];
  const brushes = new Map<string, readonly Brush[]>([
    ["x", [{ low: 1, high: 2 }, { gaps: ["missing"] }]],
    ["y", [{ values: ["a"] }]],
    ["z", [{ low: 0, high: 0 }]],
  ]);
  expect([...passingRows(columns, brushes, 4)]).toEqual([1, 0, 0, 1]);
});
