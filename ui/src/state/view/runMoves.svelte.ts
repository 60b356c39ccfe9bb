// SPDX-License-Identifier: Apache-2.0
import { post } from "../../api/routes";
import type { RunMove } from "../../core/runs/movedRuns";
import { inclusionMoved } from "../../core/view/inclusionSet";
import { annotations } from "../annotations/annotations.svelte";
import { problemOf, type Problem } from "../requests/problem";
import { runs } from "../data/runs.svelte";
import { view } from "./view.svelte";

/** What was done with runs and can be undone: with words for a message. */
interface Undoable {
  kind: "archived" | "moved";
  count: number;
  undo: () => Promise<boolean>;
}

/** Archives and moves of runs, the last of which can be undone. */
class RunMoves {
  last = $state.raw<Undoable | null>(null);
  problem = $state.raw<Problem | null>(null);

  async archive(ids: readonly string[], archived: boolean): Promise<void> {
    this.last = null;
    if (!(await annotations.changeRuns(ids, { archived })) || !archived) return;
    this.last = { kind: "archived", count: ids.length, undo: () => annotations.changeRuns(ids, { archived: false }) };
  }

  /** Moves directories of runs; the selection follows them. False: nothing was moved, `problem` says why. */
  async move(moves: readonly RunMove[]): Promise<boolean> {
    this.last = null;
    if (!(await this.#move(moves))) return false;
    const back = moves.map(({ run, to }) => ({ run: to, to: run }));
    this.last = { kind: "moved", count: moves.length, undo: () => this.#move(back) };
    return true;
  }

  async undo(): Promise<void> {
    if (await this.last?.undo()) this.last = null;
  }

  async #move(moves: readonly RunMove[]): Promise<boolean> {
    try {
      const moved = new Map(Object.entries((await post("/api/runs/move", { moves })).runs));
      await annotations.load();
      if (view.runs) view.chooseRuns(inclusionMoved(view.runs, moved));
      await runs.load();
      this.problem = null;
      return true;
    } catch (error) {
      this.problem = problemOf(error);
      return false;
    }
  }
}

export const runMoves = new RunMoves();
