// SPDX-License-Identifier: Apache-2.0
import { fetchLineage, fetchMatching, fetchPipelines } from "../../api/lineage";
import { request } from "../../api/client";
import { json } from "../../api/routes";
import type { Importance, ImportanceQuery, LineageCondition, ScalarColumns } from "../../api/lineage";
import type { PipelineAlignment } from "../../core/lineage/pipelineColumns";
import type { LineageTable } from "../../core/lineage/lineageTable";
import type { Problem } from "../requests/problem";
import { Resource } from "../requests/resource.svelte";
import { ANY_RUN, noRuns, type ResourceDefinition } from "../requests/resourceCache";

export { fetchLineageFile as readLineageFile, LINEAGE_FORMATS, type LineageFormat } from "../../api/lineage";
export type { Importance };

const STAGE_BYTES = 512;
const FEATURE_BYTES = 512;

const lineageTable: ResourceDefinition<ScalarColumns, LineageTable> = {
  kind: "lineage table",
  read: fetchLineage,
  runs: () => ANY_RUN,
};

export const matchingRuns: ResourceDefinition<LineageCondition, ReadonlySet<string>> = {
  kind: "lineage filter",
  read: fetchMatching,
  runs: () => ANY_RUN,
};

export const importance: ResourceDefinition<ImportanceQuery, Importance> = {
  kind: "importance",
  read: (query, signal) => json(request("/api/lineage/importance", { body: query, signal })),
  runs: noRuns,
  bytes: ({ features }) => FEATURE_BYTES * features.length,
};

/** The aligned data pipelines of all runs, read again when the number of pipelines changes. */
export const pipelineTable: ResourceDefinition<{ pipelines: number }, PipelineAlignment> = {
  kind: "pipelines",
  read: (_, signal) => fetchPipelines(null, signal),
  runs: noRuns,
  bytes: ({ columns, rows }) => STAGE_BYTES * columns.length * rows.length,
};

/** The aligned data pipelines of some runs. */
export const pairPipelines: ResourceDefinition<{ runs: readonly string[] }, PipelineAlignment> = {
  ...pipelineTable,
  kind: "pipelines of runs",
  read: ({ runs }, signal) => fetchPipelines(runs, signal),
  runs: ({ runs }) => runs,
  keepsValue: () => false,
};

/** The one table of all runs, read while it is in use. */
class Lineage {
  readonly #table = new Resource(lineageTable);
  #users = 0;

  get table(): LineageTable | null {
    return this.#table.value;
  }

  get problem(): Problem | null {
    return this.#table.problem;
  }

  retry(): void {
    this.#table.retry();
  }

  /**
   * Requests the table with columns of these scalars, the same for every user; null while they are unknown. The returned
   * function ends the use.
   */
  use(scalars: readonly string[] | null): () => void {
    this.#users++;
    if (scalars) this.#table.request({ scalars });
    return () => {
      this.#users--;
      // an effect that runs again uses it at once
      queueMicrotask(() => {
        if (this.#users === 0) this.#table.release();
      });
    };
  }
}

export const lineage = new Lineage();
