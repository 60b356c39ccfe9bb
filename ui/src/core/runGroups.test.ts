// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from "vitest";

import { directoryOf, gather, ranksOf } from "./runGroups";

describe("groups of runs", () => {
  it("are the directories that hold them", () => {
    expect(["a/b/c", "c"].map(directoryOf)).toEqual(["a/b", ""]);
  });

  it("are the ranks of one training", () => {
    expect(ranksOf("lenet/rank_0")).toBe("lenet/rank_*");
    expect(ranksOf("lenet/summary_dir12/late")).toBe("lenet/summary_dir*/late");
    expect(ranksOf("rank_1/rank_2")).toBe("rank_1/rank_*");
    expect(ranksOf("frank_1")).toBeNull();
  });

  it("hold every run once, in the order of their keys", () => {
    const groups = gather(["b", "a10", "a2", "x"], (run) => (run.startsWith("a") ? run : null), "rest");
    expect(groups).toEqual([
      { key: "a2", runs: ["a2"] },
      { key: "a10", runs: ["a10"] },
      { key: "rest", runs: ["b", "x"] },
    ]);
  });
});
