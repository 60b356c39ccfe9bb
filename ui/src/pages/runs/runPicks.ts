// SPDX-License-Identifier: Apache-2.0
import { selection } from "../../state/view/selection.svelte";

/** Ticks in a list of runs; with Shift, all runs since the last tick become like it. */
export class RunPicks {
  #last: string | null = null;

  /** `listed` are the runs of the list in their order. */
  pick(run: string, isRange: boolean, listed: () => readonly string[]): void {
    const isShown = !selection.isShown(run);
    const between = isRange && this.#last !== null ? runsBetween(listed(), this.#last, run) : [run];
    selection.setAll(between, isShown);
    this.#last = run;
  }
}

function runsBetween(listed: readonly string[], one: string, other: string): readonly string[] {
  const [from, to] = [listed.indexOf(one), listed.indexOf(other)].sort((first, second) => first - second);
  return from! < 0 ? [other] : listed.slice(from, to! + 1);
}
