// SPDX-License-Identifier: Apache-2.0
import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { differingText, nameParts } from "./nameParts";

function differing(...names: string[]): string[] {
  return nameParts(names).map(differingText);
}

describe("parts of names", () => {
  it("share whole words at both ends", () => {
    expect(differing("net-lr0.1-2026", "net-lr0.2-2026")).toEqual(["lr0.1", "lr0.2"]);
    expect(differing("net-0.1", "net-0.12")).toEqual(["net-0.1", "net-0.12"]);
    expect(differing("adam", "sgd")).toEqual(["adam", "sgd"]);
    expect(differing("alone-2026")).toEqual(["alone-2026"]);
  });

  it("share whole words in the middle", () => {
    expect(differing("lr=0.01,bs=64,seed=3", "lr=0.1,bs=64,seed=4")).toEqual(["lr=0.01…seed=3", "lr=0.1…seed=4"]);
    expect(differing("adam-resnet50-imagenet-cosine", "sgd-resnet50-imagenet-step")).toEqual(["adam…cosine", "sgd…step"]);
    expect(differing("a_big_resnet_x", "small_resnet_y")).toEqual(["a_big…x", "small…y"]);
    expect(differing("bert-base-lr1-end", "gpt-lr2-end2")).toEqual(["bert-base-lr1-end", "gpt-lr2-end2"]);
    expect(nameParts(["lr=0.01,bs=64,seed=3", "lr=0.1,bs=64,seed=4"])[0]).toEqual([
      { text: "lr=0.01,", isShared: false },
      { text: "bs=64,", isShared: true },
      { text: "seed=3", isShared: false },
    ]);
  });

  it("leave no text that begins with a digit", () => {
    expect(differing("sweep_run_1", "sweep_run_2")).toEqual(["run_1", "run_2"]);
    expect(differing("exp-lr=0.02", "exp-lr=0.05")).toEqual(["lr=0.02", "lr=0.05"]);
    expect(differing("adam-warm-epochs-10", "sgd-warm-epochs-20")).toEqual(["adam…epochs-10", "sgd…epochs-20"]);
  });

  const word = fc.constantFrom("a", "b", "1", "lr0.02", "resnet50", "seed");
  const name = fc.array(word, { minLength: 1, maxLength: 6 }).map((words) => words.join("-"));
  const names = fc.uniqueArray(name, { minLength: 1, maxLength: 6 });

  it("are the whole name together, and the same where they are shared", () => {
    fc.assert(
      fc.property(names, fc.integer({ min: 1, max: 5 }), (all, kept) => {
        const parts = nameParts(all, kept);
        expect(parts.map((own) => own.map(({ text }) => text).join(""))).toEqual(all);
        const shared = new Set(parts.map((own) => JSON.stringify(own.filter(({ isShared }) => isShared))));
        expect(shared.size).toBe(1);
        parts.forEach((own, index) => {
          const left = own.filter(({ isShared }) => !isShared).map(({ text }) => text);
          expect(left.length).toBeGreaterThan(0);
          expect(own.some(({ isShared }) => isShared) ? left.join("").length : Infinity).toBeGreaterThanOrEqual(1);
          expect(differingText(own).length).toBeLessThanOrEqual(all[index]!.length + 1);
        });
      }),
    );
  });
});
