// SPDX-License-Identifier: Apache-2.0
import type { AlignedStages, PipelineStage } from "./pipelineColumns";

/** An operation of a profile; `parent` is the index of the one that takes its output, -1 for the last one. */
export interface MeasuredOperation {
  name: string;
  type: string;
  parent: number;
}

/** Why a recorded stage, or a measured operation, has no partner: nothing of its type is in its place, or several are. */
export type Unmatched = "absent" | "ambiguous";

/** The recorded stages of a pipeline and the measured operations, matched by type and order. */
export interface MeasuredPipeline {
  /** For each measured operation its recorded stage, or why it has none. */
  stageOf: readonly (PipelineStage | Unmatched)[];
  /** For each recorded stage the index of its measured operation, or why it has none. */
  operationOf: ReadonlyMap<PipelineStage, number | Unmatched>;
}

/** An operation, and the flows that it joins. */
interface Link<Of> {
  of: Of;
  type: string;
  flows: readonly Flow<Of>[];
}

/** Operations from the last one to the source. */
type Flow<Of> = readonly Link<Of>[];

/** Recorded names whose operation has another type, without `Dataset` and `Op`. */
const MEASURED_TYPES: Readonly<Record<string, string>> = {
  minddata: "mindrecord",
  tfrecord: "tfreader",
  cifar10: "cifar",
  cifar100: "cifar",
  caltech256: "caltech",
  iwslt2016: "iwslt",
  iwslt2017: "iwslt",
  random: "randomdata",
  transfer: "dataqueue",
  devicequeue: "dataqueue",
};

/** What MindSpore's recorded `MindDataDataset` and its measured `MindRecordOp` have in common. */
function typeKey(name: string): string {
  const key = name.replace(/(Dataset|Op)$/, "").toLowerCase();
  return MEASURED_TYPES[key] ?? key;
}

/**
 * Matches the stages of pipeline `number` with the operations of a profile, both in their order, flow by flow. A pair counts only if
 * every longest common sequence of types has it: where a type is there twice on one side and once on the other, neither is guessed.
 */
export function matchMeasured(
  columns: readonly AlignedStages[],
  number: number,
  operations: readonly MeasuredOperation[],
): MeasuredPipeline {
  const stageOf: (PipelineStage | Unmatched)[] = operations.map(() => "absent");
  const operationOf = new Map<PipelineStage, number | Unmatched>();
  const recorded = recordedFlow(columns, number);
  for (const stage of stagesOf(recorded)) operationOf.set(stage, "absent");
  const ends = operations.flatMap(({ parent }, index) => (parent === -1 ? [index] : []));
  if (ends.length === 1) pairFlows(recorded, measuredFlow(operations, ends[0]!));
  return { stageOf, operationOf };

  function pairFlows(own: Flow<PipelineStage>, other: Flow<number>): void {
    const ranks = possiblePairs(own, other);
    for (const pairs of ranks) {
      for (const [stage, operation] of pairs) {
        const isSure = pairs.length === 1;
        operationOf.set(stage.of, isSure ? operation.of : "ambiguous");
        stageOf[operation.of] = isSure ? stage.of : "ambiguous";
        if (isSure && stage.flows.length === operation.flows.length)
          stage.flows.forEach((flow, place) => pairFlows(flow, operation.flows[place]!));
      }
    }
  }
}

function stagesOf(flow: Flow<PipelineStage>): PipelineStage[] {
  return flow.flatMap(({ of, flows }) => [of, ...flows.flatMap(stagesOf)]);
}

/** The stages of a pipeline from the last one on; what flows join belongs to the operation after them. */
function recordedFlow(columns: readonly AlignedStages[], number: number): Flow<PipelineStage> {
  const links: Link<PipelineStage>[] = [];
  let flows: readonly Flow<PipelineStage>[] = [];
  for (const { cells, branches } of columns) {
    const stage = cells[number] ?? null;
    if (!stage) continue;
    if (stage.name === null) flows = branches.map((branch) => recordedFlow(branch, number)).filter((flow) => flow.length > 0);
    else {
      links.unshift({ of: stage, type: typeKey(stage.name), flows });
      flows = [];
    }
  }
  return links;
}

function measuredFlow(operations: readonly MeasuredOperation[], end: number): Flow<number> {
  const inputs = new Map<number, number[]>();
  operations.forEach(({ parent }, index) => inputs.set(parent, [...(inputs.get(parent) ?? []), index]));
  return from(end);

  function from(last: number): Flow<number> {
    const links: Link<number>[] = [];
    for (let index: number | undefined = last; index !== undefined;) {
      const below: number[] = inputs.get(index) ?? [];
      links.push({ of: index, type: typeKey(operations[index]!.type), flows: below.length > 1 ? below.map(from) : [] });
      index = below.length === 1 ? below[0] : undefined;
    }
    return links;
  }
}

/** By their rank in a longest common sequence, the pairs that some such sequence has. */
function possiblePairs<A, B>(own: Flow<A>, other: Flow<B>): [Link<A>, Link<B>][][] {
  const before = commonLengths(own, other);
  const after = commonLengths(own.toReversed(), other.toReversed());
  const [height, width] = [own.length, other.length];
  const longest = before[height]![width]!;
  const ranks: [Link<A>, Link<B>][][] = Array.from({ length: longest }, () => []);
  own.forEach((left, row) =>
    other.forEach((right, column) => {
      const rank = before[row]![column]!;
      const isPossible = left.type === right.type && rank + 1 + after[height - row - 1]![width - column - 1]! === longest;
      if (isPossible) ranks[rank]!.push([left, right]);
    }),
  );
  return ranks;
}

/** `lengths[i][j]` is that of a longest common sequence of the first i and the first j types. */
function commonLengths(own: readonly Link<unknown>[], other: readonly Link<unknown>[]): number[][] {
  const lengths = [Array<number>(other.length + 1).fill(0)];
  for (const { type } of own) {
    const [above, row] = [lengths.at(-1)!, [0]];
    other.forEach((each, column) => row.push(each.type === type ? above[column]! + 1 : Math.max(row[column]!, above[column + 1]!)));
    lengths.push(row);
  }
  return lengths;
}

/** The operations of a profile as a pipeline, where none is recorded. */
export function measuredAlone(operations: readonly MeasuredOperation[]): { columns: AlignedStages[]; measured: MeasuredPipeline } {
  const stages = operations.map(({ name }): PipelineStage => ({ name, parameters: {}, rows: null }));
  const ends = operations.flatMap(({ parent }, index) => (parent === -1 ? [index] : []));
  return {
    columns: columnsOf(ends.map((end) => measuredFlow(operations, end))),
    measured: { stageOf: stages, operationOf: new Map(stages.map((stage, index) => [stage, index])) },
  };

  function columnsOf(flows: readonly Flow<number>[]): AlignedStages[] {
    if (flows.length === 1) return flows[0]!.toReversed().flatMap(({ of, flows }) => [...columnsOf(flows), column(stages[of]!)]);
    return flows.length === 0
      ? []
      : [
          column(
            { name: null, parameters: {}, rows: null },
            flows.map((flow) => columnsOf([flow])),
          ),
        ];
  }
}

function column(stage: PipelineStage, branches: AlignedStages[][] = []): AlignedStages {
  return { cells: [stage], differing: [], differs: false, branches };
}
