// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from "vitest";

import { STATUS } from "../../core/graphs/model/mergedGraph";
import type { AlignedStages, PipelineStage } from "../../core/lineage/pipelineColumns";
import { pipelineGraph } from "./pipelineGraph";

const stage = (name: string, parameters: PipelineStage["parameters"] = {}): PipelineStage => ({ name, parameters, rows: null });
const column = (...cells: (PipelineStage | null)[]): AlignedStages => ({ cells, differing: [], differs: false, branches: [] });

const SOURCE = { sampler: "RandomSampler", "RandomSampler.num_samples": 100, shuffle: true };
const MAP = { operations: ["Decode", "Resize", "Decode"], "Resize.size": [32, 32], input_columns: ["image"] };
const COLUMNS: AlignedStages[] = [
  {
    ...column(null, null),
    branches: [[column(stage("Mnist", SOURCE), stage("Mnist", SOURCE))], [column(stage("Cifar"), stage("Cifar"))]],
  },
  column(stage("Zip"), stage("Zip")),
  column(stage("Map", MAP), stage("Map", { ...MAP, "Resize.size": [28, 28] })),
  column(stage("Shuffle", { buffer_size: 10 }), null),
  column(null, stage("Repeat", { count: 2 })),
  column(stage("Batch", { batch_size: 32 }), stage("Batch", { batch_size: 32 })),
];

function described(number: number, other: number | null) {
  const graph = pipelineGraph(COLUMNS, number, other);
  const { structure, nodes } = graph;
  const names = nodes.map((box, node) => box?.name ?? structure.texts[structure.label[node]!]!);
  const edges = [...structure.source.keys()]
    .filter((edge) => nodes[structure.source[edge]!])
    .map((edge) => `${names[structure.source[edge]!]}>${names[structure.target[edge]!]}${structure.is_control[edge] ? "!" : ""}`);
  return { ...graph, names, edges };
}

describe("a data pipeline as a graph", () => {
  it("joins its inputs, chains operations, and has transforms and samplers", () => {
    const { edges, scopes } = described(0, null);
    expect(edges).toEqual([
      "RandomSampler>Mnist!",
      "Mnist>Zip",
      "Cifar>Zip",
      "Zip>Decode",
      "Decode>Resize",
      "Resize>Decode",
      "Decode>Shuffle",
      "Shuffle>Batch",
    ]);
    expect(scopes.map((box) => box?.name)).toEqual([undefined, "Map"]);
  });

  it("lists the parameters of each box beside it, those of a transform or sampler at their own", () => {
    const { structure, names } = described(0, null);
    const rowsOf = (name: string): string[] =>
      [...structure.source.keys()]
        .filter((edge) => names[structure.target[edge]!] === name && structure.role[structure.source[edge]!] === 2)
        .map((edge) => `${names[structure.source[edge]!]} ${structure.texts[structure.shape[structure.source[edge]!]!]}`);
    expect(rowsOf("Mnist")).toEqual(["shuffle = true"]);
    expect(rowsOf("RandomSampler")).toEqual(["num_samples = 100"]);
    expect(rowsOf("Resize")).toHaveLength(1);
    expect(rowsOf("Batch")).toEqual(["batch_size = 32"]);
  });

  it("shows two pipelines in one, with what differs", () => {
    const { nodes, scopes, edges } = described(0, 1);
    const statuses = Object.fromEntries(nodes.flatMap((box) => (box ? [[box.name, box.status]] : [])));
    expect(statuses).toMatchObject({
      Mnist: STATUS.same,
      Resize: STATUS.changed,
      Decode: STATUS.same,
      Shuffle: STATUS.added,
      Repeat: STATUS.removed,
      Batch: STATUS.same,
    });
    expect(scopes[1]!.status).toBe(STATUS.changed);
    expect(edges.slice(-3)).toEqual(["Decode>Shuffle", "Shuffle>Repeat", "Repeat>Batch"]);
    expect(nodes.find((box) => box?.name === "Resize")!.other).toEqual({ size: [28, 28] });
  });

  it("is empty without operations", () => {
    expect(pipelineGraph([column(null)], 0, null).nodes).toEqual([]);
  });
});
