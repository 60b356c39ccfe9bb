// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from "vitest";

import { kindCounts, sortedRuns, type RunFacts } from "./runTable";

describe("the table of runs", () => {
  const run = (facts: Partial<RunFacts>): RunFacts => ({
    id: "a",
    state: "idle",
    files: 1,
    size_bytes: 0,
    first_wall_time: null,
    last_wall_time: null,
    last_step: null,
    tags: {},
    damages: 0,
    dropped: 0,
    ...facts,
  });

  it("sorts names as people count and puts the unknown last", () => {
    const rows = [run({ id: "r10", last_step: 5 }), run({ id: "r9" }), run({ id: "r2", last_step: 7 })];
    expect(sortedRuns(rows, "name", false).map(({ id }) => id)).toEqual(["r2", "r9", "r10"]);
    expect(sortedRuns(rows, "step", true).map(({ id }) => id)).toEqual(["r2", "r10", "r9"]);
    expect(sortedRuns(rows, "step", false).map(({ id }) => id)).toEqual(["r10", "r2", "r9"]);
  });

  it("counts kinds in a fixed order and hides none", () => {
    expect(kindCounts({ graph: 1, scalar: 3, train_lineage: 1, mesh: 2, pr_curve: 1, image: 0 }, ["scalar", "image", "graph"])).toEqual([
      { kind: "scalar", count: 3 },
      { kind: "graph", count: 1 },
      { kind: "lineage", count: 1 },
      { kind: "other", count: 3 },
    ]);
  });
});
