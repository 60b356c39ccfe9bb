// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from "vitest";

import RECORDED from "../../../../tests/profile/data_pipelines.json";
import { matchMeasured, measuredAlone, type MeasuredOperation } from "./measuredPipeline";
import type { AlignedStages, PipelineStage } from "./pipelineColumns";

/** A name and its inputs. */
type Tree = [name: string, inputs: Tree[]];

interface Recorded {
  name: string;
  recorded: Tree;
  measured: { op_id: number; op_type: string; children: number[] | null }[];
}

function columnsOf([name, inputs]: Tree): AlignedStages[] {
  const column = (stage: PipelineStage, branches: AlignedStages[][] = []): AlignedStages => {
    return { cells: [stage], differing: [], differs: false, branches };
  };
  const stage = (name: string | null): PipelineStage => ({ name, parameters: {}, rows: null });
  const flows = inputs.map(columnsOf);
  const before = flows.length > 1 ? [column(stage(null), flows)] : (flows[0] ?? []);
  return [...before, column(stage(name))];
}

/** As the server gives them: inputs first, in their order. */
function operationsOf(nodes: Recorded["measured"]): MeasuredOperation[] {
  const inputsOf = (id: number): number[] => nodes.find(({ op_id }) => op_id === id)!.children ?? [];
  const ordered = (id: number): number[] => [...inputsOf(id).flatMap(ordered), id];
  const last = nodes.find(({ op_id }) => !nodes.some(({ children }) => children?.includes(op_id)))!;
  const ids = ordered(last.op_id);
  return ids.map((id) => ({
    name: `${nodes.find(({ op_id }) => op_id === id)!.op_type}_${id}`,
    type: nodes.find(({ op_id }) => op_id === id)!.op_type,
    parent: ids.findIndex((parent) => inputsOf(parent).includes(id)),
  }));
}

/** Names of the pairs, and what is left on both sides. */
function matched(tree: Tree, operations: readonly MeasuredOperation[]) {
  const { stageOf, operationOf } = matchMeasured(columnsOf(tree), 0, operations);
  const recorded = [...operationOf].map(([stage, of]) => `${stage.name} ${typeof of === "number" ? operations[of]!.name : of}`);
  const others = stageOf.flatMap((of, index) => (typeof of === "string" ? [`${operations[index]!.name} ${of}`] : []));
  return { recorded, others };
}

const chain = (...types: string[]): MeasuredOperation[] =>
  types.map((type, index) => ({ name: `${type}_${index}`, type, parent: index - 1 }));
const tree = (...names: string[]): Tree => names.reduceRight<Tree[]>((inputs, name) => [[name, inputs]], [])[0]!;

describe("recorded stages and measured operations", () => {
  it.each(RECORDED as Recorded[])("of MindSpore 2.10 match: $name", ({ name, recorded, measured }) => {
    const { recorded: pairs, others } = matched(recorded, operationsOf(measured));
    expect({ name, pairs, others }).toMatchSnapshot();
  });

  it("match in their order, a source by its own name", () => {
    expect(
      matched(tree("Batch", "Map", "Map", "TFRecordDataset"), chain("EpochCtrlOp", "BatchOp", "MapOp", "MapOp", "TFReaderOp")),
    ).toEqual({
      recorded: ["Batch BatchOp_1", "Map MapOp_2", "Map MapOp_3", "TFRecordDataset TFReaderOp_4"],
      others: ["EpochCtrlOp_0 absent"],
    });
  });

  it("are not guessed where several fit", () => {
    expect(matched(tree("Batch", "Map", "Map", "MnistDataset"), chain("BatchOp", "MapOp", "MnistOp"))).toEqual({
      recorded: ["Batch BatchOp_0", "Map ambiguous", "Map ambiguous", "MnistDataset MnistOp_2"],
      others: ["MapOp_1 ambiguous"],
    });
    expect(matched(tree("Shuffle", "Map", "MnistDataset"), chain("MapOp", "ShuffleOp", "MnistOp")).recorded).toEqual([
      "Shuffle ambiguous",
      "Map ambiguous",
      "MnistDataset MnistOp_2",
    ]);
  });

  it("are told apart by what is around them", () => {
    const { recorded } = matched(tree("Map", "Batch", "Map", "MnistDataset"), chain("BatchOp", "MapOp", "MnistOp"));
    expect(recorded).toEqual(["Map absent", "Batch BatchOp_0", "Map MapOp_1", "MnistDataset MnistOp_2"]);
  });

  it("do not match in flows of which one side has fewer, or in a profile of several pipelines", () => {
    const joined: Tree = ["Zip", [tree("MnistDataset"), tree("Map", "CSVDataset")]];
    const flows = [...chain("ZipOp", "MnistOp"), ...["MapOp", "MnistOp"].map((type) => ({ name: type, type, parent: 0 }))];
    expect(matched(joined, flows).recorded).toEqual(["Zip ZipOp_0", "MnistDataset absent", "Map absent", "CSVDataset absent"]);
    const twice = [...chain("BatchOp"), ...chain("BatchOp")];
    expect(matched(tree("Batch"), twice)).toEqual({ recorded: ["Batch absent"], others: ["BatchOp_0 absent", "BatchOp_0 absent"] });
  });

  it("are the operations alone without a recorded graph, in their flows", () => {
    const flows = [...chain("BatchOp", "ZipOp"), ...["MapOp", "MnistOp"].map((type) => ({ name: type, type, parent: 1 }))];
    const { columns, measured } = measuredAlone(flows);
    const names = (some: readonly AlignedStages[]): unknown[] =>
      some.map(({ cells, branches }) => (branches.length > 0 ? branches.map(names) : cells[0]!.name));
    expect(names(columns)).toEqual([[["MapOp"], ["MnistOp"]], "ZipOp_1", "BatchOp_0"]);
    expect(columns.at(-1)!.cells.map((cell) => measured.operationOf.get(cell!))).toEqual([0]);
  });
});
