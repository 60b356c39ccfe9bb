// SPDX-License-Identifier: Apache-2.0
import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { labelText, parameterLabels, shortLabels } from "./runNames";

function texts(...ids: string[]): string[] {
  const labels = shortLabels(ids);
  return ids.map((id) => labelText(labels.get(id)!));
}

describe("short names of runs", () => {
  it("leave out what all share", () => {
    expect(texts("exp/2026/lenet-lr0.005", "exp/2026/lenet-lr0.02")).toEqual(["lenet-lr0.005", "lenet-lr0.02"]);
    expect(texts("logs/resnet-20261122-lr0.02", "logs/resnet-20261122-lr0.005")).toEqual(["lr0.02", "lr0.005"]);
    expect(texts("sweep/a/summary", "sweep/b/summary")).toEqual(["a", "b"]);
  });

  it("keep what would be too short alone, and a single run whole", () => {
    expect(texts("logs/lineage_sweep_01", "logs/lineage_sweep_02")).toEqual(["sweep_01", "sweep_02"]);
    expect(texts("logs/run_1")).toEqual(["logs/run_1"]);
    expect(texts("a", "a/b")).toEqual(["a", "a/b"]);
  });

  it("part off what the runs of one directory share, which gives way first", () => {
    const labels = shortLabels(["exp/lenet-20261122-lr0.005", "exp/lenet-20261122-lr0.02", "other"]);
    expect(labels.get("exp/lenet-20261122-lr0.02")).toEqual({ directory: "exp", prefix: "lenet-20261122-", own: "lr0.02", suffix: "" });
  });

  it("leave out a shared end, or part it off beside other directories", () => {
    expect(texts("logs/lr0.02-20261122", "logs/lr0.005-20261122")).toEqual(["lr0.02", "lr0.005"]);
    expect(texts("logs/lenet-adam-seed0", "logs/lenet-rmsprop-seed0")).toEqual(["adam", "rmsprop"]);
    const labels = shortLabels(["exp/lenet-lr0.02-20261122", "exp/lenet-lr0.005-20261122", "other"]);
    expect(labels.get("exp/lenet-lr0.02-20261122")).toEqual({ directory: "exp", prefix: "lenet-", own: "lr0.02", suffix: "-20261122" });
  });

  it("are as different as the runs, and end as they do", () => {
    const piece = fc.constantFrom("a", "b", "run", "lr0.02", "lr0.005", "seed1", "20261122");
    const name = fc.array(
      fc.array(piece, { minLength: 1, maxLength: 4 }).map((pieces) => pieces.join("-")),
      { minLength: 1, maxLength: 3 },
    );
    const ids = fc.uniqueArray(
      name.map((parts) => parts.join("/")),
      { minLength: 1, maxLength: 12 },
    );
    fc.assert(
      fc.property(ids, (runs) => {
        const labels = shortLabels(runs);
        expect(new Set([...labels.values()].map(labelText)).size).toBe(runs.length);
        for (const [id, label] of labels) expect(id).toContain(labelText(label));
      }),
    );
  });
});

describe("names of parameters", () => {
  const values: Record<string, Record<string, number | string | null>> = {
    "s/1": { lr: 0.02, seed: 1, net: "LeNet", path: "a".repeat(40) },
    "s/2": { lr: 0.005, seed: 1, net: "LeNet", path: "b".repeat(40) },
    "t/1": { lr: 0.02, seed: 1, net: "MLP", path: null },
    "u/1": { lr: 0.02, seed: 2, net: "MLP", path: null },
    none: {},
  };
  const fields = ["lr", "seed", "net", "path"].map((name) => ({ name, valueOf: (run: string) => values[run]?.[name] ?? null }));
  const named = (...ids: string[]): Record<string, string> =>
    Object.fromEntries([...parameterLabels(ids, fields)].map(([id, label]) => [id, labelText(label)]));

  it("are those that differ among the runs around", () => {
    expect(named("s/1", "s/2")).toEqual({ "s/1": "lr 0.02", "s/2": "lr 0.005" });
    expect(named("s/1", "s/2", "t/1", "u/1", "none")).toEqual({ "s/1": "lr 0.02", "s/2": "lr 0.005", "t/1": "seed 1", "u/1": "seed 2" });
  });

  it("take the fewest fields, and no text that numbers the runs", () => {
    const sweep = [0.1, 0.2, 0.3].flatMap((lr) => [16, 32].map((batch) => ({ lr, batch, note: `sweep-${lr}-${batch}`, decay: lr / 10 })));
    const ids = sweep.map((_, index) => `run_${index}`);
    const offered = (["note", "decay", "lr", "batch"] as const).map((name) => ({
      name,
      valueOf: (run: string) => sweep[ids.indexOf(run)]![name],
    }));
    expect(labelText(parameterLabels(ids, offered).get("run_3")!)).toBe("decay 0.02, batch 32");
  });

  it("leave out runs with equal names", () => {
    expect(named("s/1", "none")).toEqual({});
  });
});
