// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from "vitest";

import { directoriesOf, movesInto } from "./movedRuns";

const targets = (runs: string[], directory: string): string[] => movesInto(runs, directory).map(({ run, to }) => `${run} > ${to}`);

describe("movesInto", () => {
  it("keeps what differs between the paths", () => {
    expect(targets(["sweep/a", "sweep/b"], "old")).toEqual(["sweep/a > old/a", "sweep/b > old/b"]);
    expect(targets(["sweep/a", "other/a"], "old")).toEqual(["sweep/a > old/sweep/a", "other/a > old/other/a"]);
    expect(targets(["x/sweep/a", "x/sweep2/a"], "old")).toEqual(["x/sweep/a > old/sweep/a", "x/sweep2/a > old/sweep2/a"]);
    expect(targets(["deep/er/a"], "old/er/")).toEqual(["deep/er/a > old/er/a"]);
  });

  it("moves to the base directory", () => {
    expect(targets(["sweep/a"], " / ")).toEqual(["sweep/a > a"]);
  });

  it("takes runs below another one along", () => {
    expect(targets(["a", "a/rank_0", "ab"], "old")).toEqual(["a > old/a", "ab > old/ab"]);
    expect(targets(["s/a/inner", "s/a"], "old")).toEqual(["s/a > old/a"]);
  });
});

it("offers the directories of runs", () => {
  expect(directoriesOf(["b/x/1", "a/1", "c", "b/2"])).toEqual(["a", "b", "b/x"]);
});
