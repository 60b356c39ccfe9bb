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
