// SPDX-License-Identifier: Apache-2.0
import type { PipelineAlignment } from "../../core/lineage/pipelineColumns";
import { compareNames } from "../../core/text/naturalSort";
import { ownValue } from "../../core/text/ownValue";

/** A row of the page: a pipeline with its runs, or one run. */
export interface PipelineRow {
  key: string;
  pipeline: number;
  runs: readonly string[];
}

/** The pipelines of some runs, the most common first; unfolded, a run a row, runs of equal pipelines beside each other. */
export function pipelineRows({ marks }: PipelineAlignment, runs: readonly string[], isFolded: boolean): PipelineRow[] {
  const byPipeline = new Map<number, string[]>();
  for (const run of runs) {
    const number = ownValue(marks, run);
    if (number === undefined) continue;
    const members = byPipeline.get(number);
    if (members) members.push(run);
    else byPipeline.set(number, [run]);
  }
  const folded = [...byPipeline]
    .sort(([one], [other]) => one - other)
    .map(([pipeline, members]) => ({ key: `pipeline ${pipeline}`, pipeline, runs: members.sort(compareNames) }));
  if (isFolded) return folded;
  return folded.flatMap(({ pipeline, runs: members }) => members.map((run) => ({ key: `run ${run}`, pipeline, runs: [run] })));
}
