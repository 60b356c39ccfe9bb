// SPDX-License-Identifier: Apache-2.0
import fc from "fast-check";
import { expect, test } from "vitest";

import type { LineageCell, LineageColumn } from "./column";
import { bestSoFar, ranksOf, renewedTable, type LineageAnswer, type LineageTable } from "./lineageTable";

function column(id: string, cells: readonly LineageCell[]): LineageColumn {
  const numbers = cells.filter((cell) => typeof cell === "number");
  const range = numbers.length > 0 ? [Math.min(...numbers), Math.max(...numbers)] : [null, null];
  return {
    id,
    group: "parameter",
    name: id,
    kind: "mixed",
    count: cells.filter((cell) => cell !== null).length,
    low: range[0]!,
    high: range[1]!,
    differs: true,
    goal: "max",
    cells,
  };
}

type Rows = Record<string, Record<string, LineageCell>>;

/** What a server answers that has `rows` and sends those of `sent`. */
function answerOf(rows: Rows, sent: string[], order: string[] | null, isWhole: boolean): LineageAnswer {
  const ids = [...new Set(Object.values(rows).flatMap((row) => Object.keys(row)))];
  return {
    cursor: "c",
    is_whole: isWhole,
    gone: [],
    runs: sent,
    order,
    columns: ids.map((id) =>
      column(
        id,
        sent.map((run) => rows[run]?.[id] ?? null),
      ),
    ),
    problems: [],
  };
}

function contents(table: LineageTable): Rows {
  return Object.fromEntries(
    table.runs.map((run, row) => [
      run,
      Object.fromEntries([...table.columns].flatMap(([id, { cells }]) => (cells[row] === null ? [] : [[id, cells[row]!]]))),
    ]),
  );
}

const tables: fc.Arbitrary<Rows> = fc.dictionary(
  fc.constantFrom("a", "b", "c", "d"),
  fc.dictionary(fc.constantFrom("lr", "size", "note"), fc.oneof(fc.integer(), fc.boolean(), fc.string()), { noNullPrototype: true }),
  { noNullPrototype: true },
);

test("changed rows over a known table are the same as the whole table", () => {
  fc.assert(
    fc.property(tables, tables, (before, after) => {
      const whole = renewedTable(undefined, answerOf(before, Object.keys(before), Object.keys(before), true));
      expect(contents(whole)).toEqual(before);
      const runs = Object.keys(after);
      const sent = runs.filter((run) => JSON.stringify(before[run]) !== JSON.stringify(after[run]));
      const isSameOrder = JSON.stringify(runs) === JSON.stringify(Object.keys(before));
      const renewed = renewedTable(whole, answerOf(after, sent, isSameOrder ? null : runs, false));
      expect(contents(renewed)).toEqual(after);
      expect([...renewed.rowOf]).toEqual(runs.map((run, row) => [run, row]));
    }),
  );
});

test("a column that no sent row changes keeps its cells", () => {
  const rows = { a: { lr: 1 }, b: { lr: 2 } };
  const whole = renewedTable(undefined, answerOf(rows, ["a", "b"], ["a", "b"], true));
  const renewed = renewedTable(whole, answerOf(rows, [], null, false));
  expect(renewed.columns.get("lr")!.cells).toBe(whole.columns.get("lr")!.cells);
});

test("equal values share a rank, and a row without a finite value has none", () => {
  const numbers = Float64Array.of(0.5, 0.9, NaN, 0.9, Infinity, 0.1);
  expect(ranksOf(numbers, "max")).toEqual([3, 1, null, 1, null, 4]);
  expect(ranksOf(numbers, "min")).toEqual([2, 3, null, 3, null, 1]);
});

test("the best so far follows the start of the runs", () => {
  const [numbers, starts] = [Float64Array.of(3, 1, NaN, 2), Float64Array.of(20, 10, 30, NaN)];
  expect(bestSoFar(numbers, starts, "max")).toEqual([3, 1, 3, null]);
  expect(bestSoFar(numbers, starts, "min")).toEqual([1, 1, 1, null]);
});
