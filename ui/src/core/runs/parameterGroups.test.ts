// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from "vitest";

import type { ParameterCell } from "../lineage/parameterTable";
import { groupValues, parameterGroups, type GroupingParameter } from "./parameterGroups";

const parameter = (name: string, cells: Record<string, ParameterCell>): GroupingParameter => ({
  name,
  cells: new Map(Object.entries(cells)),
});
const lr = parameter("lr", { a: 0.1, b: 0.01, c: 0.1, d: 0.01 });
const optimizer = parameter("optimizer", { a: "sgd", b: "adam", c: "adam" });

describe("groups of runs by parameters", () => {
  it("have the values of one parameter", () => {
    expect(parameterGroups(["a", "b", "c", "d", "e"], [lr])).toEqual([
      { key: "lr = 0.01", runs: ["b", "d"] },
      { key: "lr = 0.1", runs: ["a", "c"] },
      { key: "lr = –", runs: ["e"] },
    ]);
  });

  it("have the values of several parameters together, in the order of the parameters", () => {
    expect(parameterGroups(["a", "b", "c", "d"], [lr, optimizer])).toEqual([
      { key: "lr = 0.01, optimizer = adam", runs: ["b"] },
      { key: "lr = 0.01, optimizer = –", runs: ["d"] },
      { key: "lr = 0.1, optimizer = adam", runs: ["c"] },
      { key: "lr = 0.1, optimizer = sgd", runs: ["a"] },
    ]);
    const keys = parameterGroups(["a", "b", "c"], [optimizer, lr]).map(({ key }) => key);
    expect(keys).toEqual(["optimizer = adam, lr = 0.01", "optimizer = adam, lr = 0.1", "optimizer = sgd, lr = 0.1"]);
  });

  it("are named by values where the parameters are said elsewhere", () => {
    expect(groupValues("lr = 0.01, optimizer = adam", ["lr", "optimizer"])).toBe("0.01, adam");
    expect(groupValues("a/b", [])).toBe("a/b");
  });

  it("put many different numbers into ranges, also beside another parameter", () => {
    const runs = Array.from({ length: 20 }, (_, place) => `r${place}`);
    const many = parameter("seed", Object.fromEntries(runs.map((run, place) => [run, place])));
    const parity = parameter("even", Object.fromEntries(runs.map((run, place) => [run, place % 2 === 0])));
    expect(parameterGroups(runs, [many]).map(({ key }) => key)).toEqual([
      "seed = 0 … 3",
      "seed = 4 … 7",
      "seed = 8 … 11",
      "seed = 12 … 15",
      "seed = 16 … 19",
    ]);
    const both = parameterGroups(runs, [many, parity]);
    expect(both).toHaveLength(10);
    expect(both[0]).toEqual({ key: "seed = 0 … 3, even = false", runs: ["r1", "r3"] });
    expect(both.flatMap((group) => group.runs)).toHaveLength(20);
  });

  it("hold every run once", () => {
    expect(parameterGroups([], [lr])).toEqual([]);
    expect(parameterGroups(["x", "y"], [lr, optimizer])).toEqual([{ key: "lr = –, optimizer = –", runs: ["x", "y"] }]);
  });
});
