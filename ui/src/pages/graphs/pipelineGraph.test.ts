// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from "vitest";

import { STATUS } from "../../core/graphs/model/mergedGraph";
import { matchMeasured } from "../../core/lineage/measuredPipeline";
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

  it("says beside operations what a profile measured of them, and that it has none of them", () => {
    const operations = ["BatchOp", "MapOp"].map((type, index) => ({ name: `${type}_${index}`, type, parent: index - 1 }));
    const columns = [column(stage("Map", MAP)), column(stage("Shuffle")), column(stage("Batch"))];
    const measured = matchMeasured(columns, 0, operations);
    const { structure, nodes, scopes } = pipelineGraph(columns, 0, null, { measured, figures: (of) => `${of}` });
    const rows = [...structure.source.keys()].map((edge) => {
      const [source, target] = [structure.source[edge]!, structure.target[edge]!];
      return [structure.label[target]!, structure.label[source]!, structure.shape[source]!].map((text) => structure.texts[text]);
    });
    expect(rows.filter(([box]) => box === "Shuffle" || box === "Batch")).toEqual([
      ["Shuffle", "", "absent"],
      ["Shuffle", "Decode", ""],
      ["Batch", "", "0"],
      ["Batch", "Shuffle", ""],
    ]);
    expect([structure.scope_label, structure.scope_name].map((names) => structure.texts[names[1]!])).toEqual(["Map", "Map · 1"]);
    expect([scopes[1]!.operation, nodes[0]!.operation]).toEqual([1, null]);
  });

  it("is empty without operations", () => {
    expect(pipelineGraph([column(null)], 0, null).nodes).toEqual([]);
  });
});
