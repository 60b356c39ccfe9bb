// SPDX-License-Identifier: Apache-2.0
import type { RunChoice } from "./urlState";

/** Without a choice this many runs are shown at most: the newest ones. */
export const DEFAULT_SHOWN = 40;

export function isChosen(choice: NonNullable<RunChoice>, run: string): boolean {
  return choice.except.includes(run) !== (choice.base === "all");
}

/** Runs in the order of the list that the choice shows. */
export function chosenRuns(choice: NonNullable<RunChoice>, runs: readonly string[]): string[] {
  const except = new Set(choice.except);
  return runs.filter((run) => except.has(run) !== (choice.base === "all"));
}

/** The shortest choice that shows exactly `shown` among `runs`; all of them includes those still to come. */
export function choiceOf(shown: ReadonlySet<string>, runs: readonly string[]): NonNullable<RunChoice> {
  const hidden = runs.filter((run) => !shown.has(run));
  if (hidden.length === 0 && runs.length > 0) return { base: "all", except: [] };
  const visible = runs.filter((run) => shown.has(run));
  return visible.length <= hidden.length || hidden.length > 8 ? { base: "none", except: visible } : { base: "all", except: hidden };
}

/** What is shown before anybody chose: the newest runs that hold something. */
export function defaultShown(runs: readonly { id: string; last_wall_time: number | null }[]): string[] {
  if (runs.length <= DEFAULT_SHOWN) return runs.map((run) => run.id);
  const newest = [...runs].sort((one, other) => (other.last_wall_time ?? 0) - (one.last_wall_time ?? 0));
  return newest.slice(0, DEFAULT_SHOWN).map((run) => run.id);
}
