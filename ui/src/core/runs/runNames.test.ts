// SPDX-License-Identifier: Apache-2.0
import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { distinctNames, labelFrom, labelText, parameterLabels, shortLabels, type RunLabel } from "./runNames";

function texts(...ids: string[]): string[] {
  const labels = shortLabels(ids);
  return ids.map((id) => labelText(labels.get(id)!));
}

/** Parts in brackets are shared. */
function label(...parts: (string | [string])[]): RunLabel {
  return parts.map((part) => ({ text: typeof part === "string" ? part : part[0], isShared: typeof part !== "string" }));
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
    expect(labels.get("exp/lenet-20261122-lr0.02")).toEqual(label(["exp/lenet-20261122-"], "lr0.02"));
  });

  it("part off what runs share around and between what differs", () => {
    const runs = ["sweep/lr=0.1,bs=64,seed=3/version_0", "sweep/lr=0.01,bs=64,seed=4/version_0", "baseline"];
    expect(shortLabels(runs).get(runs[0]!)).toEqual(label(["sweep/"], "lr=0.1,", ["bs=64,"], "seed=3", ["/version_0"]));
    expect(labelText(labelFrom(label(["exp/"], "a", ["-end"]), 4))).toBe("a-end");
    expect(labelText(labelFrom(label(["exp/"], "a"), -3))).toBe("exp/a");
  });

  it("leave out a shared end, or part it off beside other directories", () => {
    expect(texts("logs/lr0.02-20261122", "logs/lr0.005-20261122")).toEqual(["lr0.02", "lr0.005"]);
    expect(texts("logs/lenet-adam-seed0", "logs/lenet-rmsprop-seed0")).toEqual(["adam", "rmsprop"]);
    const labels = shortLabels(["exp/lenet-lr0.02-20261122", "exp/lenet-lr0.005-20261122", "other"]);
    expect(labels.get("exp/lenet-lr0.02-20261122")).toEqual(label(["exp/lenet-"], "lr0.02", ["-20261122"]));
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

describe("names that say what differs", () => {
  it("leave out what all begin with", () => {
    expect(distinctNames(["exp/lenet-lr0.01-a", "exp/lenet-lr0.02-b"])).toEqual(["lr0.01-a", "lr0.02-b"]);
    expect(distinctNames(["exp/adam", "exp/sgd"])).toEqual(["adam", "sgd"]);
    expect(distinctNames(["a/run_1", "a/run_2"])).toEqual(["run_1", "run_2"]);
    expect(distinctNames(["a/run", "a/run_2"])).toEqual(["run", "run_2"]);
    expect(distinctNames(["deep/path/only"])).toEqual(["only"]);
    expect(distinctNames([])).toEqual([]);
  });

  it("leaves out what the names of one directory share, beside names of others", () => {
    expect(distinctNames(["exp/net-lr0.1-2026", "exp/net-lr0.2-2026", "other/run"])).toEqual(["lr0.1", "lr0.2", "other/run"]);
    expect(distinctNames(["a/net-x-1", "a/net-y-1", "b/net-x-1", "b/net-y-1"])).toEqual(["a/…x", "a/…y", "b/…x", "b/…y"]);
    expect(distinctNames(["a/x", "a/x", "a/y"])).toEqual(["x", "x", "y"]);
    expect(distinctNames(["run-5", "long-run-5"])).toEqual(["run", "long-run"]);
  });

  it("leaves out what families of names share, beside others", () => {
    const sweep = ["0.1", "0.01"].map((lr) => `sweep/lr=${lr},bs=64,seed=3/version_0`);
    const bert = ["1e-4", "3e-4"].map((lr) => `bert-large-2024-11-03_12-00-lr${lr}-warmup500`);
    expect(distinctNames([...sweep, ...bert, "baseline", "baseline-long"])).toEqual([
      ...["lr=0.1", "lr=0.01", "lr1e-4", "lr3e-4", "baseline", "baseline-long"],
    ]);
  });

  it("leaves out what parts of runs share", () => {
    const lines = [1, 2].flatMap((seed) => ["train", "val"].map((part) => `sweep/lr=0.1,seed=${seed}/version_0 · ${part}`));
    expect(distinctNames(lines)).toEqual(["seed=1/…train", "seed=1/…val", "seed=2/…train", "seed=2/…val"]);
  });

  it("keeps different names different", () => {
    fc.assert(
      fc.property(fc.array(fc.stringMatching(/^[ab1/_-]{1,8}$/), { maxLength: 8 }), (names) => {
        const short = distinctNames(names);
        expect(new Set(short).size).toBe(new Set(names).size);
        expect(names.every((name, index) => short[index]!.split("…").every((part) => name.includes(part)))).toBe(true);
      }),
    );
  });
});
