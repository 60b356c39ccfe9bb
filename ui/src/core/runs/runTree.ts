// SPDX-License-Identifier: Apache-2.0
import { compareNames } from "../text/naturalSort";
import { sortedRuns, type RunColumn, type RunFacts, type RunState } from "./runTable";

/** How the list of runs is ordered into groups. */
export type RunGrouping = "none" | "directory" | "ranks";

export const RUN_GROUPINGS: readonly RunGrouping[] = ["none", "directory", "ranks"];

export interface TreeFacts extends RunFacts {
  rank_of: string | null;
}

/** A line of the list: a run, or the head of a group with the facts of all of its runs together. */
export type TreeRow<Run extends TreeFacts> =
  /** `name` is what the groups above do not say of it. */
  | { kind: "run"; key: string; depth: number; name: string; run: Run }
  | { kind: "group"; key: string; label: string; depth: number; runs: readonly Run[]; facts: RunFacts };

interface Order {
  column: RunColumn;
  isDescending: boolean;
}

/** Rows of the list; a collapsed group has only its header. Directories are sorted, runs keep the given order. */
export function runTree<Run extends TreeFacts>(
  runs: readonly Run[],
  grouping: RunGrouping,
  order: Order,
  isClosed: (key: string) => boolean,
): TreeRow<Run>[] {
  if (grouping === "directory") return directoryRows(sortedRuns(runs, order.column, order.isDescending), "", 0, isClosed);
  if (grouping === "ranks") return rankRows(runs, order, isClosed);
  return sortedRuns(runs, order.column, order.isDescending).map((run) => runRow(run, 0, run.id));
}

function runRow<Run extends TreeFacts>(run: Run, depth: number, name: string): TreeRow<Run> {
  return { kind: "run", key: `run ${run.id}`, depth, name, run };
}

function directoryRows<Run extends TreeFacts>(
  runs: readonly Run[],
  prefix: string,
  depth: number,
  isClosed: (key: string) => boolean,
): TreeRow<Run>[] {
  const folders = new Map<string, Run[]>();
  const here: Run[] = [];
  for (const run of runs) {
    const slash = run.id.indexOf("/", prefix.length);
    if (slash < 0) here.push(run);
    else {
      const name = run.id.slice(prefix.length, slash);
      const members = folders.get(name);
      if (members) members.push(run);
      else folders.set(name, [run]);
    }
  }
  const rows: TreeRow<Run>[] = [];
  for (const [name, members] of [...folders].sort(([one], [other]) => compareNames(one, other))) {
    const path = `${prefix}${name}/`;
    rows.push({ kind: "group", key: path, label: name, depth, runs: members, facts: together(path, members) });
    if (!isClosed(path)) rows.push(...directoryRows(members, path, depth + 1, isClosed));
  }
  return [...rows, ...here.map((run) => runRow(run, depth, run.id.slice(prefix.length)))];
}

/** Ranks of a training are one line, in the place that their facts together have among the other runs. */
function rankRows<Run extends TreeFacts>(runs: readonly Run[], order: Order, isClosed: (key: string) => boolean): TreeRow<Run>[] {
  const groups = new Map<string, Run[]>();
  for (const run of runs) groups.set(run.rank_of ?? run.id, [...(groups.get(run.rank_of ?? run.id) ?? []), run]);
  const all = [...groups].map(([key, members]) => ({ ...together(key, members), members }));
  return sortedRuns(all, order.column, order.isDescending).flatMap(({ id, members, ...facts }) => {
    if (members.length === 1 && members[0]!.rank_of === null) return [runRow(members[0]!, 0, members[0]!.id)];
    const head: TreeRow<Run> = { kind: "group", key: id, label: id, depth: 0, runs: members, facts: { ...facts, id } };
    return isClosed(id)
      ? [head]
      : [head, ...sortedRuns(members, "name", false).map((run) => runRow(run, 1, run.id.slice(run.id.lastIndexOf("/") + 1)))];
  });
}

const STATES: readonly RunState[] = ["live", "idle", "finished", "empty"];

/** Facts of several runs as if they were one. */
export function together(id: string, runs: readonly RunFacts[]): RunFacts {
  const sum = (of: (run: RunFacts) => number): number => runs.reduce((total, run) => total + of(run), 0);
  const known = (of: (run: RunFacts) => number | null): number[] => runs.map(of).filter((value) => value !== null);
  const kinds = [...new Set(runs.flatMap((run) => Object.keys(run.tags)))];
  const most = (values: readonly number[]): number | null =>
    values.length > 0 ? values.reduce((one, other) => Math.max(one, other)) : null;
  const least = (values: readonly number[]): number | null =>
    values.length > 0 ? values.reduce((one, other) => Math.min(one, other)) : null;
  return {
    id,
    state: STATES.find((state) => runs.some((run) => run.state === state)) ?? "empty",
    files: sum((run) => run.files),
    size_bytes: sum((run) => run.size_bytes),
    first_wall_time: least(known((run) => run.first_wall_time)),
    last_wall_time: most(known((run) => run.last_wall_time)),
    last_step: most(known((run) => run.last_step)),
    tags: Object.fromEntries(kinds.map((kind) => [kind, most(runs.map((run) => run.tags[kind] ?? 0)) ?? 0])),
    damages: sum((run) => run.damages),
    dropped: sum((run) => run.dropped),
  };
}
