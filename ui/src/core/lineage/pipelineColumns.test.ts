// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";

import {
  columnName,
  commonStages,
  parameterColumns,
  pipelineMark,
  stageColumns,
  stageKey,
  type AlignedStages,
  type PipelineStage,
} from "./pipelineColumns";

function stage(name: string | null, parameters: PipelineStage["parameters"] = {}): PipelineStage {
  return { name, parameters, rows: null };
}

function aligned(
  cells: readonly (PipelineStage | null)[],
  differing: string[] = [],
  branches: AlignedStages["branches"] = [],
): AlignedStages {
  return { cells, differing, differs: differing.length > 0 || cells.includes(null), branches };
}

const zipped: AlignedStages[] = [
  aligned([stage(null), stage(null)], [], [[aligned([stage("Mnist"), stage("Mnist")])], [aligned([stage("Numpy"), stage("Text")])]]),
  aligned([stage("Zip"), stage("Zip")]),
  aligned([null, stage("Shuffle")]),
  aligned([stage("Batch", { size: 32 }), stage("Batch", { size: 64 })], ["size"]),
];

test("operations of branches come before the one that joins them", () => {
  const columns = stageColumns(zipped);
  expect(columns.map((column) => [column.key, columnName(column), column.branch])).toEqual([
    ["1.1.1", "Mnist", [1]],
    ["1.2.1", "Numpy / Text", [2]],
    ["2", "Zip", []],
    ["3", "Shuffle", []],
    ["4", "Batch", []],
  ]);
});

test("parameters that differ and operations that are missing are columns over the runs", () => {
  const marks = { a: 0, b: 1, c: 1 };
  const columns = parameterColumns({ marks, rows: [], columns: zipped }, stageColumns(zipped), ["a", "none", "b", "c"]);
  expect(columns.map(({ id, kind, cells, low, high }) => [id, kind, cells, low, high])).toEqual([
    ["4 Batch.size", "int", [32, null, 64, 64], 32, 64],
    ["3 Shuffle", "mixed", [false, null, true, true], null, null],
  ]);
});

test("columns of operations with one name say which one they are of", () => {
  const maps = ["a", "b"].map((size) => aligned([stage("Map", { size }), stage("Map", { size: `${size}2` }), null], ["size"]));
  const columns = parameterColumns({ marks: { a: 0, b: 1, c: 2 }, rows: [], columns: maps }, stageColumns(maps), ["a", "b", "c"]);
  expect(columns.map(({ name }) => name)).toEqual(["1 Map.size", "2 Map.size", "1 Map", "2 Map"]);
});

test("a parameter that only one kind of source has is no column", () => {
  const sources = [aligned([stage("Mnist", { usage: "all" }), stage("Numpy"), stage("Mnist", { usage: "all" })], ["usage"])];
  expect(parameterColumns({ marks: { a: 0, b: 1, c: 2 }, rows: [], columns: sources }, stageColumns(sources), ["a", "b", "c"])).toEqual([]);
});

test("the common stage is that of most runs, not of most pipelines", () => {
  const columns = stageColumns([aligned([stage("Batch", { size: 32 }), stage("Batch", { size: 64 }), null])]);
  const rows = [1, 5, 2].map((count) => ({ runs: [], count }));
  const common = commonStages({ marks: {}, rows, columns: [] }, columns);
  expect([...common]).toEqual([["1", stageKey(stage("Batch", { size: 64 }))]]);
});

test("marks go on after Z", () => {
  expect([0, 25, 26, 51, 52, 701, 702].map(pipelineMark)).toEqual(["A", "Z", "AA", "AZ", "BA", "ZZ", "AAA"]);
});
