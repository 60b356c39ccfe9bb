// SPDX-License-Identifier: Apache-2.0
import { post, type Json } from "../../api/routes";
import { problemOf, type Problem } from "../requests/problem";

export type Deletion = Json<"/api/runs/deletion", "post">;

/** Deletes runs: lists their files first, then deletes them on confirmation. */
export class RunDeletion {
  plan = $state.raw<Deletion | null>(null);
  problem = $state.raw<Problem | null>(null);
  isUnderWay = $state(false);
  readonly #runs: readonly string[];

  constructor(runs: readonly string[]) {
    this.#runs = runs;
  }

  async prepare(): Promise<void> {
    try {
      this.plan = await post("/api/runs/deletion", { runs: this.#runs });
      this.problem = null;
    } catch (error) {
      this.problem = problemOf(error);
    }
  }

  /** True when the runs of the plan are deleted. Reloads the list of files if they changed. */
  async confirm(): Promise<boolean> {
    if (!this.plan) return false;
    this.isUnderWay = true;
    try {
      await post("/api/runs/delete", { runs: this.plan.runs.map(({ run }) => run), token: this.plan.token });
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
