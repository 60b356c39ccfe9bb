// SPDX-License-Identifier: Apache-2.0
import { fetchDeletion, sendDeletion, type Deletion } from "../../api/deletion";
import { problemOf, type Problem } from "../requests/problem";

export type { Deletion };

/** Deletes one run: lists its files first, then deletes them on confirmation. */
export class RunDeletion {
  plan = $state.raw<Deletion | null>(null);
  problem = $state.raw<Problem | null>(null);
  isUnderWay = $state(false);
  readonly #run: string;

  constructor(run: string) {
    this.#run = run;
  }

  async prepare(): Promise<void> {
    try {
      this.plan = await fetchDeletion(this.#run);
      this.problem = null;
    } catch (error) {
      this.problem = problemOf(error);
    }
  }

  /** True when the run is deleted. Reloads the list of files if they changed. */
  async confirm(): Promise<boolean> {
    if (!this.plan) return false;
    this.isUnderWay = true;
    try {
      await sendDeletion(this.#run, this.plan.token);
      return true;
    } catch (error) {
      const problem = problemOf(error);
      await this.prepare();
      this.problem = problem;
      return false;
    } finally {
      this.isUnderWay = false;
    }
  }

  cancel(): void {
    this.plan = null;
    this.problem = null;
  }
}
