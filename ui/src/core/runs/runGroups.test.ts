// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from "vitest";

import { directoryOf, gather } from "./runGroups";

describe("groups of runs", () => {
  it("are the directories that hold them", () => {
    expect(["a/b/c", "c"].map(directoryOf)).toEqual(["a/b", ""]);
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
