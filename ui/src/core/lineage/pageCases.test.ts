// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from "vitest";

import { passesBrushes, type Brush, type GapKind } from "./brushes";
import { cellText, type ColumnGroup, type LineageCell } from "./column";
import { columnReference, splitAt } from "./expressionText";
import cases from "./pageCases.json";

// Python's answers; tests/lineage/page_cases.py writes the file.
const CELLS = cases.cells as readonly LineageCell[];

function selected(...brushes: Brush[]): number[] {
  return CELLS.flatMap((cell, row) => (passesBrushes(cell, brushes) ? [row] : []));
}

describe("a brush selects the rows of Python's expression", () => {
  it.each(Object.entries(cases.gaps))("%s", (gap, rows) => {
    expect(selected({ gaps: [gap as GapKind] })).toEqual(rows);
  });

  it.each(cases.ranges)("from $low to $high", ({ low, high, rows }) => {
    expect(selected({ low, high })).toEqual(rows);
  });

  it.each(cases.equal.map((rows, row) => [JSON.stringify(CELLS[row]), row, rows] as const))("the value %s", (_, row, rows) => {
    const isGap = selected({ gaps: ["missing", "nan"] }).includes(row); // equal to nothing; brushes of gaps select them
    if (!isGap) expect(selected({ values: [cellText(CELLS[row]!)] })).toEqual(rows);
  });
});

it.each(cases.references)("an expression names the column $id as $reference", ({ group, name, id, reference }) => {
  expect(columnReference({ group: group as ColumnGroup, name, id })).toBe(reference);
});

it("marks a character, not half of one", () => {
  expect(splitAt("🚀 < x", 2)).toEqual(["🚀 ", "<", " x"]);
  expect(splitAt("lr <", 4)).toEqual(["lr <", "", ""]);
});
