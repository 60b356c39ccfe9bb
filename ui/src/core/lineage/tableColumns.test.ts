// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";

import type { ColumnGroup, LineageCell, LineageColumn } from "./column";
import type { LineageTable } from "./lineageTable";
import { columnsOf, proposedAxes, proposedMetric, proposedSettings } from "./tableColumns";

function column(id: string, group: ColumnGroup, cells: readonly LineageCell[]): LineageColumn {
  const present = cells.filter((cell) => cell !== null);
  const numbers = present.filter((cell) => typeof cell === "number");
  const isNumeric = numbers.length === present.length && numbers.length > 0;
  return {
    id,
    group,
    name: id,
    kind: isNumeric ? "float" : "text",
    count: present.length,
    low: isNumeric ? Math.min(...numbers) : null,
    high: isNumeric ? Math.max(...numbers) : null,
    differs: new Set(cells).size > 1,
    goal: "max",
    cells,
  };
}

const columns = [
  column("run", "fact", ["a", "b", "c"]),
  column("seed", "parameter", [1, null, null]),
  column("opt", "parameter", ["adam", "sgd", null]),
  column("lr", "parameter", [0.1, 0.2, 0.3]),
  column("epochs", "parameter", [3, 3, 3]),
  column("metric/rare", "metric", [0.5, null, null]),
  column("metric/acc", "metric", [0.1, 0.2, 0.3]),
  column("fact/host", "fact", ["x", "y", "z"]),
  column("fact/state", "fact", ["idle", "idle", "live"]),
];
const table: LineageTable = {
  cursor: "",
  runs: ["a", "b", "c"],
  rowOf: new Map(),
  columns: new Map(columns.map((one) => [one.id, one])),
  problems: [],
};

test("columns of most runs lead", () => {
  expect(columnsOf(table, ["metric"]).map(({ id }) => id)).toEqual(["metric/acc", "metric/rare"]);
  expect(columnsOf(table, ["parameter"]).map(({ id }) => id)).toEqual(["lr", "epochs", "opt", "seed"]);
});

test("the target is the metric of most runs", () => {
  expect(proposedMetric(table)).toBe("metric/acc");
});

test("the list of runs has the settings that matter: they differ, most runs have them, and they are no names", () => {
  const runs = Array.from({ length: 40 }, (_, run) => run);
  const found = [
    column(
      "comment",
      "parameter",
      runs.map((run) => `try ${run}`),
    ),
    column("seed", "parameter", runs),
    column(
      "data.root",
      "parameter",
      runs.map((run) => `disk ${run % 2}`),
    ),
    column(
      "model.lr",
      "parameter",
      runs.map((run) => run / 100),
    ),
    column(
      "optimizer.name",
      "parameter",
      runs.map((run) => ["Adam", "SGD"][run % 2]!),
    ),
    column(
      "batch_size",
      "parameter",
      runs.map((run) => (run === 3 ? 32 : null)),
    ),
    column(
      "epochs",
      "parameter",
      runs.map(() => 3),
    ),
    column("metric/acc", "metric", runs),
    column(
      "custom/warmup",
      "custom",
      runs.map((run) => run % 3),
    ),
  ];
  const many = { ...table, columns: new Map(found.map((one) => [one.id, one])) };
  expect(proposedSettings(many, 2)).toEqual(["model.lr", "optimizer.name"]);
  expect(proposedSettings(many, 9)).toEqual(["seed", "data.root", "model.lr", "optimizer.name", "custom/warmup"]);
  expect(proposedSettings(table, 5)).toEqual(["opt", "lr"]);
});

test("axes are settings with several values, the target last", () => {
  expect(proposedAxes(table, "metric/acc", 4)).toEqual(["opt", "lr", "metric/rare", "metric/acc"]);
});
