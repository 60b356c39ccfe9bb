// SPDX-License-Identifier: Apache-2.0
import { orderedBy } from "../text/naturalSort";

export type RunState = "live" | "finished" | "idle" | "empty";

/** What the table needs to know of a run; the API's run has at least this. */
export type ContentKind =
  | "graph_file"
  | "mindspore_profile"
  | "ascend_profile"
  | "cann_profile"
  | "torch_profile"
  | "chrome_profile"
  | "xla_profile"
  | "nsight_profile"
  | "memory_profile"
  | "mindspore_dump"
  | "msprobe_dump"
  | "tensor_dump"
  | "debug_mode_log"
  | "flight_record"
  | "embedding"
  | "running_data"
  | "log_file";

export interface RunFacts {
  id: string;
  state: RunState;
  files: number;
  /** Null where it is unknown, as of directories. */
  size_bytes: number | null;
  first_wall_time: number | null;
  last_wall_time: number | null;
  last_step: number | null;
  tags: Readonly<Record<string, number>>;
  /** What the directory holds beside event files; absent for several runs together. */
  contents?: readonly { kind: ContentKind; name: string; count: number }[];
  damages: number;
  dropped: number;
  /** The runs that these facts are of; absent for the facts of one run. */
  members?: readonly string[];
}

/** The number of its files: event files, or those that it has instead. */
export function fileCount({ files, contents }: Pick<RunFacts, "files" | "contents">): number {
  return files || (contents ?? []).reduce((sum, { count }) => sum + count, 0);
}

/** What is known of every run without its lineage. */
export type FactColumn = "name" | "state" | "updated" | "duration" | "step" | "data" | "files" | "size" | "issues";

/** The facts by the ids of their columns; no parameter has such an id, whatever its name. */
export const FACT_COLUMNS: ReadonlyMap<string, FactColumn> = new Map(
  Object.entries({
    run: "name",
    "fact/state": "state",
    "fact/duration": "duration",
    "fact/last_step": "step",
    "fact/updated": "updated",
    "fact/data": "data",
    "fact/files": "files",
    "fact/size": "size",
    "fact/issues": "issues",
  } as const),
);

const STATE_RANK: Record<RunState, number> = { live: 0, idle: 1, finished: 2, empty: 3 };

export function runDuration(run: RunFacts): number | null {
  return run.first_wall_time === null || run.last_wall_time === null ? null : run.last_wall_time - run.first_wall_time;
}

/** What a fact sorts by. */
export function factKey(run: RunFacts, column: FactColumn): string | number | null {
  switch (column) {
    case "name":
      return run.id;
    case "state":
      return STATE_RANK[run.state];
    case "updated":
      return run.last_wall_time;
    case "duration":
      return runDuration(run);
    case "step":
      return run.last_step;
    case "data":
      return Object.values(run.tags).reduce((sum, count) => sum + count, 0);
    case "files":
      return fileCount(run);
    case "size":
      return run.size_bytes;
    case "issues":
      return run.damages + run.dropped;
  }
}

export function sortedRuns<T extends RunFacts>(runs: readonly T[], column: FactColumn, isDescending: boolean): T[] {
  return orderedBy(runs, (run) => factKey(run, column), isDescending);
}

/** Tags by kind in the order of `kinds`; lineage counts once, further kinds are added up as "other". */
export function kindCounts(tags: Readonly<Record<string, number>>, kinds: readonly string[]): { kind: string; count: number }[] {
  const rest = new Map(Object.entries(tags).filter(([, count]) => count > 0));
  const counts: { kind: string; count: number }[] = [];
  for (const kind of kinds) {
    const count = rest.get(kind) ?? 0;
    if (count > 0) counts.push({ kind, count });
    rest.delete(kind);
  }
  const isLineage = (kind: string): boolean => kind.includes("lineage") || kind === "dataset_graph";
  const other = [...rest].filter(([kind]) => !isLineage(kind)).reduce((sum, [, count]) => sum + count, 0);
  if ([...rest.keys()].some(isLineage)) counts.push({ kind: "lineage", count: 1 });
  return other > 0 ? [...counts, { kind: "other", count: other }] : counts;
}
