// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";

import type { LineageCell } from "../lineage/column";
import { sortedByColumns } from "./sortByColumns";

test("rows are sorted by several columns; NaN, then missing values come last in both directions", () => {
  const cells: Record<string, LineageCell[]> = {
    kind: ["b", "a", "b", "a", null, "a"],
    value: [1, 3, { number: "Infinity" }, { number: "NaN" }, 0, null],
  };
  const cellOf = (id: string, row: number): LineageCell => cells[id]![row]!;
  const order = (...sorts: [string, boolean][]): number[] =>
    sortedByColumns(
      [0, 1, 2, 3, 4, 5],
      sorts.map(([id, isDescending]) => ({ column: id, isDescending })),
      cellOf,
    );
  expect(order(["value", false])).toEqual([4, 0, 1, 2, 3, 5]);
  expect(order(["value", true])).toEqual([2, 1, 0, 4, 3, 5]);
  expect(order(["kind", false], ["value", true])).toEqual([1, 3, 5, 2, 0, 4]);
  expect(order()).toEqual([0, 1, 2, 3, 4, 5]);
});

test("texts are sorted in natural order, after numbers and before lists", () => {
  const cells: LineageCell[] = ["run_10", [1], true, "run_2", 5];
  const sorted = sortedByColumns([0, 1, 2, 3, 4], [{ column: "x", isDescending: false }], (_, row) => cells[row]!);
  expect(sorted.map((row) => cells[row])).toEqual([5, "run_2", "run_10", true, [1]]);
});
