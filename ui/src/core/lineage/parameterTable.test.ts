// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";

import type { ColumnGroup, LineageCell, LineageColumn } from "./column";
import type { LineageTable } from "./lineageTable";
import { parameterTable } from "./parameterTable";

function tableOf(columns: readonly [string, ColumnGroup, string, readonly LineageCell[]][]): LineageTable {
  const runs = ["a", "b", "c"];
  const rest = { kind: "mixed", count: 0, low: null, high: null, differs: true, goal: "max" } as const;
  const made = columns.map(([id, group, name, cells]): [string, LineageColumn] => [id, { id, group, name, cells, ...rest }]);
  return { cursor: "", runs, rowOf: new Map(runs.map((run, row) => [run, row])), columns: new Map(made), problems: [] };
}

const table = tableOf([
  ["seed", "parameter", "seed", [1, 1, 2]],
  ["lr", "parameter", "lr", [0.1, { number: "NaN" }, null]],
  ["dataset/train_size", "dataset", "train_size", [null, 60, 60]],
  ["algorithm/loss", "algorithm", "loss", [0.1, 0.2, 0.3]],
  ["metric/accuracy", "metric", "accuracy", [0.9, 0.8, 0.7]],
  ["custom/tags", "custom", "tags", [["x", 1], null, { number: "12345678901234567890" }]],
  ["fact/host", "fact", "host", ["n1", "n2", "n3"]],
]);

test("settings of runs come with those that differ first, results and facts are left out", () => {
  const { columns, cells } = parameterTable(table, ["a", "b"]);
  expect(columns.map(({ key, name, differs }) => [key, name, differs])).toEqual([
    ["lr", "lr", true],
    ["dataset/train_size", "dataset/train_size", true],
    ["custom/tags", "tags", true],
    ["seed", "seed", false],
  ]);
  expect(cells.get("a")).toEqual([0.1, null, '["x", 1]', 1]);
  expect(cells.get("b")).toEqual([NaN, 60, null, 1]);
});

test("an integer beyond a float keeps its digits, and an unknown run has no values", () => {
  const { columns, cells } = parameterTable(table, ["c", "nix"], ["custom"]);
  expect(columns.map(({ name }) => name)).toEqual(["tags"]);
  expect([...cells]).toEqual([
    ["c", ["12345678901234567890"]],
    ["nix", [null]],
  ]);
});

test("results are listed where metrics are", () => {
  const { columns } = parameterTable(table, ["a"], ["algorithm", "metric"]);
  expect(columns.map(({ key }) => key)).toEqual(["algorithm/loss", "metric/accuracy"]);
});
