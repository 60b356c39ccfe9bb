// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";

import type { LineageCell } from "../lineage/column";
import { furtherColumns } from "./fileColumns";

test("columns that only the page has are sent with a cell for each run, also what JSON has no number for", () => {
  const cells: Record<string, LineageCell> = { a: NaN, b: -Infinity, c: null, d: "x/y", e: 0 };
  const columns = [
    { id: "run", cellOf: null },
    { id: "scalar/loss/train last", cellOf: (run: string) => cells[run] ?? null },
  ];
  expect(furtherColumns(columns, Object.keys(cells))).toEqual([
    { group: "scalar", name: "loss/train last", cells: [{ number: "NaN" }, { number: "-Infinity" }, null, "x/y", 0] },
  ]);
});

test("texts that runs share are sent once", () => {
  const marks: Record<string, string> = { a: "A", b: "B", d: "A", e: "B" };
  const columns = [{ id: "fact/pipeline", cellOf: (run: string) => marks[run] ?? null }];
  expect(furtherColumns(columns, [..."abcde"])).toEqual([
    { group: "fact", name: "pipeline", cells: [0, 1, null, 0, 1], choices: ["A", "B"] },
  ]);
  expect(furtherColumns(columns, ["a", "b"])).toEqual([{ group: "fact", name: "pipeline", cells: ["A", "B"] }]);
});
