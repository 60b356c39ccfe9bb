// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from "vitest";

import { fileCount, sortedRuns } from "./runTable";
import { runTree, together, type RunOrder, type TreeFacts } from "./runTree";

function run(id: string, change: Partial<TreeFacts> = {}): TreeFacts {
  const times = { first_wall_time: 10, last_wall_time: 20, last_step: 5 };
  return {
    id,
    state: "finished",
    files: 1,
    size_bytes: 100,
    ...times,
    tags: { scalar: 2 },
    damages: 0,
    dropped: 0,
    rank_of: null,
    ...change,
  };
}

const order: RunOrder = (runs) => sortedRuns(runs, "name", false);
const open = (): boolean => false;
const names = (rows: ReturnType<typeof runTree>): string[] =>
  rows.map((row) => "  ".repeat(row.depth) + (row.kind === "run" ? row.name : `${row.label} (${row.runs.length})`));

describe("the list of runs", () => {
  it("nests directories, with runs after the directories beside them", () => {
    const rows = runTree([run("b"), run("a/y/2"), run("a/x"), run("a/y/1")], "directory", order, open);
    expect(names(rows)).toEqual(["a (3)", "  y (2)", "    1", "    2", "  x", "b"]);
  });

  it("orders directories by their facts together where runs are sorted", () => {
    const bySize: RunOrder = (some) => sortedRuns(some, "size", true);
    const runs = [run("a/x"), run("b/x/1", { size_bytes: 500 }), run("b/y"), run("c", { size_bytes: 1 })];
    expect(names(runTree(runs, "directory", bySize, open, true))).toEqual(["b (2)", "  x (1)", "    1", "  y", "a (1)", "  x", "c"]);
  });

  it("shows the head alone of what is closed", () => {
    expect(names(runTree([run("a/x"), run("b")], "directory", order, (key) => key === "a/"))).toEqual(["a (1)", "b"]);
  });

  it("folds ranks into one line that is sorted like a run", () => {
    const ranks = [0, 1].map((rank) => run(`m/rank_${rank}`, { rank_of: "m/rank_*", size_bytes: 1000 }));
    const rows = runTree(
      [run("small"), ...ranks, run("large", { size_bytes: 1500 })],
      "ranks",
      (some) => sortedRuns(some, "size", true),
      (key) => key === "m/rank_*",
    );
    expect(names(rows)).toEqual(["m/rank_* (2)", "large", "small"]);
    expect(names(runTree([run("x/y"), ...ranks], "ranks", order, open))).toEqual(["m/rank_* (2)", "  rank_0", "  rank_1", "x/y"]);
  });

  it("adds up what belongs together", () => {
    const facts = together("all", [
      run("a", { state: "live", tags: { scalar: 3 } }),
      run("b", { first_wall_time: null, last_wall_time: 50, damages: 2 }),
    ]);
    expect(facts).toMatchObject({
      state: "live",
      size_bytes: 200,
      first_wall_time: 10,
      last_wall_time: 50,
      tags: { scalar: 3 },
      damages: 2,
      members: ["a", "b"],
    });
    expect(together("none", []).last_step).toBeNull();
  });

  it("counts other files where there are no event files, and adds up no unknown size", () => {
    const contents = [{ kind: "log_file" as const, name: "slurm-1.out", count: 2 }];
    const logs = run("logs", { files: 0, contents, size_bytes: 40 });
    expect(fileCount(logs)).toBe(2);
    expect(together("both", [logs, run("b")])).toMatchObject({ files: 3, size_bytes: 140 });
    expect(together("both", [logs, run("profile", { files: 0, size_bytes: null })]).size_bytes).toBeNull();
  });
});
