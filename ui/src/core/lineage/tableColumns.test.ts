// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";

import type { ColumnGroup, LineageCell, LineageColumn } from "./column";
import type { LineageTable } from "./lineageTable";
import { proposedAxes, proposedTarget, tableColumns } from "./tableColumns";

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

function shown(chosen: readonly string[] | null, onlyDiffering = true, target: string | null = null): string[] {
  return tableColumns(table, { columns: chosen, onlyDiffering, target }).map(({ id }) => id);
}

test("results come first, then settings that differ, then a few facts; columns of most runs lead", () => {
  expect(shown(null)).toEqual(["metric/acc", "metric/rare", "lr", "opt", "seed", "fact/state"]);
  expect(shown(null, false)).toEqual(["metric/acc", "metric/rare", "lr", "epochs", "opt", "seed", "fact/state"]);
  expect(shown(null, true, "lr")).toEqual(["lr", "metric/acc", "metric/rare", "opt", "seed", "fact/state"]);
});

test("chosen columns keep their order, and one that is gone is left out", () => {
  expect(shown(["lr", "gone", "fact/host"])).toEqual(["lr", "fact/host"]);
});

test("the target is the metric of most runs", () => {
  expect(proposedTarget(table)).toBe("metric/acc");
});

test("axes are settings with several values, the target last", () => {
  expect(proposedAxes(table, "metric/acc", 4)).toEqual(["opt", "lr", "metric/rare", "metric/acc"]);
});
