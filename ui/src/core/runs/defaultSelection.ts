// SPDX-License-Identifier: Apache-2.0
/** Without a choice this many runs are shown at most: the newest ones. */
export const DEFAULT_SELECTED = 40;

/** What is shown before anybody chose: the newest runs that hold something. */
export function defaultSelection(runs: readonly { id: string; last_wall_time: number | null }[]): string[] {
  if (runs.length <= DEFAULT_SELECTED) return runs.map((run) => run.id);
  const newest = [...runs].sort((one, other) => (other.last_wall_time ?? 0) - (one.last_wall_time ?? 0));
  return newest.slice(0, DEFAULT_SELECTED).map((run) => run.id);
}
