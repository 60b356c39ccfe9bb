// SPDX-License-Identifier: Apache-2.0
import type { LandscapeEntry } from "../../state/data/landscapes";

const MOST = 4;

/** Before anybody chose: of each of the first runs one on a common plane, or the last landscape with a path, or the last one. */
export function defaultChoice(entries: readonly LandscapeEntry[]): LandscapeEntry[] {
  const runs = [...new Set(entries.map(({ run }) => run))].slice(0, MOST);
  const plane = commonPlane(entries.filter(({ run }) => runs.includes(run)));
  return runs.map((run) => {
    const own = entries.filter((entry) => entry.run === run && !entry.problem);
    const common = plane === undefined ? undefined : own.find(({ plane_id }) => plane_id === plane);
    return common ?? own.findLast(({ interval }) => interval.length > 0) ?? own.at(-1) ?? entries.find((entry) => entry.run === run)!;
  });
}

/** The plane on which most runs, at least two, have a landscape. */
function commonPlane(entries: readonly LandscapeEntry[]): string | undefined {
  const runsOf = new Map<string, Set<string>>();
  for (const { plane_id, run } of entries) if (plane_id !== "") runsOf.set(plane_id, (runsOf.get(plane_id) ?? new Set()).add(run));
  const [most] = [...runsOf].sort(([, one], [, other]) => other.size - one.size);
  return most && most[1].size > 1 ? most[0] : undefined;
}
