// SPDX-License-Identifier: Apache-2.0
import type { LandscapeEntry } from "../../state/data/landscapes";

const MOST = 4;

/** Before anybody chose: of each of the first runs the last landscape with a path, or the last one. */
export function defaultChoice(entries: readonly LandscapeEntry[]): LandscapeEntry[] {
  const runs = [...new Set(entries.map(({ run }) => run))].slice(0, MOST);
  return runs.map((run) => {
    const own = entries.filter((entry) => entry.run === run && !entry.problem);
    return own.findLast(({ interval }) => interval.length > 0) ?? own.at(-1) ?? entries.find((entry) => entry.run === run)!;
  });
}
