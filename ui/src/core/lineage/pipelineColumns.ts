// SPDX-License-Identifier: Apache-2.0
import type { Schemas } from "../messages/message";
import { ownValue } from "../text/ownValue";
import { cellText, type LineageCell, type LineageColumn } from "./column";

/** An operation of a data pipeline; `name` is null where branches begin, which the next operation joins. */
export interface PipelineStage {
  name: string | null;
  parameters: Readonly<Record<string, LineageCell>>;
  /** Samples or batches that leave it in an epoch; null if unknown. */
  rows: number | null;
}

/** One aligned position: a stage for each pipeline, null where a pipeline lacks it. */
export interface AlignedStages {
  cells: readonly (PipelineStage | null)[];
  differing: readonly string[];
  differs: boolean;
  branches: readonly (readonly AlignedStages[])[];
}

export type PipelineAlignment = Omit<Schemas["PipelinesAnswer"], "columns"> & { columns: readonly AlignedStages[] };

/** A column of the page: aligned operations, and the branch that they are in. */
export interface StageColumn {
  /** Unique, in the order of the columns: "3", and "3.1.2" for the second operation in the first branch. */
  key: string;
  stages: readonly (PipelineStage | null)[];
  differing: readonly string[];
  differs: boolean;
  /** Numbers of the branches around it, from 1; empty on the main line. */
  branch: readonly number[];
}

/** Columns from the source to the last operation; those of branches come before the operation that joins them. */
export function stageColumns(columns: readonly AlignedStages[], prefix = "", branch: readonly number[] = []): StageColumn[] {
  return columns.flatMap(({ cells, differing, differs, branches }, index): StageColumn[] => {
    const key = `${prefix}${index + 1}`;
    if (branches.length > 0) return branches.flatMap((some, place) => stageColumns(some, `${key}.${place + 1}.`, [...branch, place + 1]));
    return [{ key, stages: cells, differing, differs, branch }];
  });
}

/** The name of a column: that of its operations, which are several only for sources. */
export function columnName({ stages }: StageColumn): string {
  return [...new Set(stages.flatMap((stage) => stage?.name ?? []))].join(" / ");
}

/** The mark of a pipeline: A, B, … Z, AA, AB, … */
export function pipelineMark(number: number): string {
  const letter = String.fromCharCode(65 + (number % 26));
  return number < 26 ? letter : pipelineMark(Math.floor(number / 26) - 1) + letter;
}

/** For each column the stage that most runs have, as text: what the others differ from. */
export function commonStages({ rows }: PipelineAlignment, columns: readonly StageColumn[]): ReadonlyMap<string, string> {
  return new Map(
    columns.map(({ key, stages }) => {
      const counts = new Map<string, number>();
      stages.forEach((stage, number) => {
        const text = stageKey(stage);
        counts.set(text, (counts.get(text) ?? 0) + (rows[number]?.count ?? 0));
      });
      const [first = ["", 0], ...others] = counts;
      return [key, others.reduce((most, one) => (one[1] > most[1] ? one : most), first)[0]] as const;
    }),
  );
}

/** Equal for equal stages; "" for a missing one. */
export function stageKey(stage: PipelineStage | null): string {
  return stage ? JSON.stringify([stage.name, stage.parameters]) : "";
}

/**
 * Parameters with several values and operations that some pipelines lack, as columns over `runs`: "2 Batch.batch_size".
 * A parameter that differs only because an operation is another one says nothing more.
 */
export function parameterColumns({ marks }: PipelineAlignment, columns: readonly StageColumn[], runs: readonly string[]): LineageColumn[] {
  const numbers = runs.map((run) => ownValue(marks, run) ?? -1);
  const made = columns.flatMap((column) =>
    column.differing.map((name) => {
      const cells = numbers.map((number) => ownValue(column.stages[number]?.parameters ?? {}, name) ?? null);
      return columnOf(`${column.key} ${columnName(column)}.${name}`, name, cells);
    }),
  );
  const missing = columns
    .filter(({ stages }) => stages.some((stage) => stage === null))
    .map((column) =>
      columnOf(
        `${column.key} ${columnName(column)}`,
        columnName(column),
        numbers.map((number) => (number < 0 ? null : column.stages[number] !== null)),
      ),
    );
  return withOwnNames([...made.filter(hasSeveralValues), ...missing]);
}

/** A pipeline can have several operations of a name: their columns then have names with their place. */
function withOwnNames(columns: readonly LineageColumn[]): LineageColumn[] {
  const counts = new Map<string, number>();
  for (const { name } of columns) counts.set(name, (counts.get(name) ?? 0) + 1);
  return columns.map((column) => ((counts.get(column.name) ?? 0) > 1 ? { ...column, name: column.id } : column));
}

function hasSeveralValues({ cells }: LineageColumn): boolean {
  return new Set(cells.filter((cell) => cell !== null).map(cellText)).size > 1;
}

function columnOf(id: string, name: string, cells: readonly LineageCell[]): LineageColumn {
  const present = cells.filter((cell) => cell !== null);
  const numbers = present.filter((cell) => typeof cell === "number");
  const isNumeric = present.length > 0 && numbers.length === present.length;
  const isWhole = isNumeric && numbers.every(Number.isInteger);
  return {
    id,
    group: "dataset",
    name,
    kind: present.length === 0 ? "empty" : isNumeric ? (isWhole ? "int" : "float") : "mixed",
    count: present.length,
    low: isNumeric ? Math.min(...numbers) : null,
    high: isNumeric ? Math.max(...numbers) : null,
    differs: new Set(present.map(cellText)).size + Number(present.length < cells.length) > 1,
    goal: "max",
    cells,
  };
}
