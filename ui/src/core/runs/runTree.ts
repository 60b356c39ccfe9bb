// SPDX-License-Identifier: Apache-2.0
import { compareNames } from "../text/naturalSort";
import { fileCount, sortedRuns, type RunFacts, type RunState } from "./runTable";

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

/** Puts runs, or groups by their facts together, into the order of the list. */
export type RunOrder = <Facts extends RunFacts>(runs: readonly Facts[]) => readonly Facts[];

/**
 * Rows of the list; a collapsed group has only its header. Directories are sorted by their names, or by their facts together
 * like runs.
 */
export function runTree<Run extends TreeFacts>(
  runs: readonly Run[],
  grouping: RunGrouping,
  sorted: RunOrder,
  isClosed: (key: string) => boolean,
  ordersDirectories = false,
): TreeRow<Run>[] {
  if (grouping === "directory") return directoryRows(sorted(runs), { prefix: "", depth: 0 }, isClosed, ordersDirectories ? sorted : byName);
  if (grouping === "ranks") return rankRows(runs, sorted, isClosed);
  return sorted(runs).map((run) => runRow(run, 0, run.id));
}

const byName: RunOrder = (runs) => [...runs].sort((one, other) => compareNames(one.id, other.id));

function runRow<Run extends TreeFacts>(run: Run, depth: number, name: string): TreeRow<Run> {
  return { kind: "run", key: `run ${run.id}`, depth, name, run };
}

function directoryRows<Run extends TreeFacts>(
  runs: readonly Run[],
  { prefix, depth }: { prefix: string; depth: number },
  isClosed: (key: string) => boolean,
  order: RunOrder,
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
  const heads = [...folders].map(([label, members]) => ({ ...together(`${prefix}${label}/`, members), label, runs: members }));
  for (const { label, runs: members, ...facts } of order(heads)) {
    rows.push({ kind: "group", key: facts.id, label, depth, runs: members, facts });
    if (!isClosed(facts.id)) rows.push(...directoryRows(members, { prefix: facts.id, depth: depth + 1 }, isClosed, order));
  }
  return [...rows, ...here.map((run) => runRow(run, depth, run.id.slice(prefix.length)))];
}

/** Ranks of a training are one line, in the place that their facts together have among the other runs. */
function rankRows<Run extends TreeFacts>(runs: readonly Run[], sorted: RunOrder, isClosed: (key: string) => boolean): TreeRow<Run>[] {
  const groups = new Map<string, Run[]>();
  for (const run of runs) groups.set(run.rank_of ?? run.id, [...(groups.get(run.rank_of ?? run.id) ?? []), run]);
  const all = [...groups].map(([key, ranks]) => ({ ...together(key, ranks), ranks }));
  return sorted(all).flatMap(({ ranks, ...facts }) => {
    const { id } = facts;
    if (ranks.length === 1 && ranks[0]!.rank_of === null) return [runRow(ranks[0]!, 0, ranks[0]!.id)];
    const head: TreeRow<Run> = { kind: "group", key: id, label: id, depth: 0, runs: ranks, facts };
    return isClosed(id)
      ? [head]
      : [head, ...sortedRuns(ranks, "name", false).map((run) => runRow(run, 1, run.id.slice(run.id.lastIndexOf("/") + 1)))];
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
    files: sum(fileCount),
    size_bytes: runs.some((run) => run.size_bytes === null) ? null : sum((run) => run.size_bytes ?? 0),
    first_wall_time: least(known((run) => run.first_wall_time)),
    last_wall_time: most(known((run) => run.last_wall_time)),
    last_step: most(known((run) => run.last_step)),
    tags: Object.fromEntries(kinds.map((kind) => [kind, most(runs.map((run) => run.tags[kind] ?? 0)) ?? 0])),
    damages: sum((run) => run.damages),
    dropped: sum((run) => run.dropped),
    members: runs.map((run) => run.id),
  };
}
