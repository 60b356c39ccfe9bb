// SPDX-License-Identifier: Apache-2.0
import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { between, sharedEnds } from "./sharedEnds";

function middles(kept: number, ...texts: string[]): string[] {
  const shared = sharedEnds(texts, kept);
  return texts.map((text) => between(text, shared));
}

describe("sharedEnds", () => {
  it("finds whole words at both ends", () => {
    expect(middles(1, "net-lr0.1-2026", "net-lr0.2-2026")).toEqual(["lr0.1", "lr0.2"]);
    expect(middles(1, "net-0.1", "net-0.12")).toEqual(["net-0.1", "net-0.12"]);
    expect(middles(1, "adam", "sgd")).toEqual(["adam", "sgd"]);
    expect(middles(1, "alone-2026")).toEqual(["alone-2026"]);
  });

  it("leaves no text that begins with a digit", () => {
    expect(middles(1, "sweep_run_1", "sweep_run_2")).toEqual(["run_1", "run_2"]);
    expect(middles(1, "exp-lr=0.02", "exp-lr=0.05")).toEqual(["lr=0.02", "lr=0.05"]);
  });

  it("keeps this many letters of each text, and all that differs", () => {
    const name = fc.array(fc.constantFrom("a", "b", "1", "lr0.02"), { minLength: 1, maxLength: 4 }).map((words) => words.join("-"));
    fc.assert(
      fc.property(fc.array(name, { minLength: 1, maxLength: 6 }), fc.integer({ min: 1, max: 5 }), (texts, kept) => {
        const left = middles(kept, ...texts);
        expect(new Set(left).size).toBe(new Set(texts).size);
        left.forEach((text, index) => expect(text.length).toBeGreaterThanOrEqual(Math.min(kept, texts[index]!.length)));
      }),
    );
  });
});
