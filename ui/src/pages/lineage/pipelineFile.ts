// SPDX-License-Identifier: Apache-2.0
import type { LineageCell } from "../../core/lineage/column";
import { columnName, pipelineMark, type PipelineStage, type StageColumn } from "../../core/lineage/pipelineColumns";
import type { FileColumn } from "../../core/tables/fileColumns";
import type { PipelineRow } from "./pipelineRows";
import { stageText } from "./stageWords";

/** Names of operations in a head; a source of many kinds has a longer one. */
const MOST_NAME = 200;

/** The columns of a file of pipelines: the mark, each operation in a line of text, and its samples where they are known. */
export function pipelineFileColumns(rows: readonly PipelineRow[], columns: readonly StageColumn[]): FileColumn[] {
  const pipelines = new Map(rows.flatMap(({ runs, pipeline }) => runs.map((run) => [run, pipeline] as const)));
  const used = [...new Set(pipelines.values())];
  const texts = new Map<PipelineStage, string>();

  function textOf(stage: PipelineStage): string {
    const text = texts.get(stage) ?? stageText(stage);
    texts.set(stage, text);
    return text;
  }

  function column(id: string, cell: (pipeline: number) => LineageCell): FileColumn {
    return {
      id,
      cellOf: (run) => {
        const pipeline = pipelines.get(run);
        return pipeline === undefined ? null : cell(pipeline);
      },
    };
  }

  return [
    column("fact/pipeline", pipelineMark),
    ...columns.flatMap((one): FileColumn[] => {
      const id = `dataset/${one.key} ${columnName(one).slice(0, MOST_NAME)}`;
      const operations = column(id, (pipeline) => {
        const stage = one.stages[pipeline];
        return stage ? textOf(stage) : null;
      });
      if (used.every((pipeline) => (one.stages[pipeline]?.rows ?? null) === null)) return [operations];
      return [operations, column(`${id}.rows`, (pipeline) => one.stages[pipeline]?.rows ?? null)];
    }),
  ];
}
