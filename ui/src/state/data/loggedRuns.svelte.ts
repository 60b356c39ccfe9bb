// SPDX-License-Identifier: Apache-2.0
import { createResource } from "../requests/resource.svelte";
import { logFiles } from "./logs.svelte";
import { runs } from "./runs.svelte";

/** Which of some runs have logs. The directories of runs are searched for them, so ask for few. */
export class LoggedRuns {
  readonly #list;

  /** Asks for the runs that `runIds` returns. */
  constructor(runIds: () => readonly string[]) {
    this.#list = createResource(logFiles, () => {
      const ids = [...new Set(runIds())];
      return ids.length > 0 ? { runs: ids } : null;
    });
  }

  /** Whether a run has a log; ranks of a training have one together. */
  has(run: string): boolean {
    return this.#list.value?.logs.some((log) => runs.areOneTraining(log.run, run)) ?? false;
  }
}
