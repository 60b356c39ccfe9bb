// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from "vitest";

import { planOfParts, planOfTag } from "./chartPlan";

const tags = [
  { tag: "loss", runs: ["a", "b"] },
  { tag: "val/loss", runs: ["b"] },
];

describe("what a chart shows", () => {
  it("is a tag in the runs that hold it", () => {
    expect(planOfTag(tags[1]!)).toEqual({ key: "val/loss", title: "val/loss", parts: [{ name: "val/loss", runs: ["b"] }] });
  });

  it("is several tags, and formulas in the runs that hold what they name", () => {
    const plan = planOfParts(["val/loss", "= 1 - loss", "gone"], tags);
    expect(plan.title).toBe("val/loss · 1 - loss · gone");
    expect(plan.parts.map(({ runs }) => runs)).toEqual([["b"], ["a", "b"], []]);
  });

  it("asks one run about a formula that names no tag, so that it can be said what is wrong", () => {
    expect(planOfParts(["= 1 +"], tags).parts).toEqual([{ name: "= 1 +", runs: ["a"] }]);
    expect(planOfParts(["= 1 +"], []).parts).toEqual([{ name: "= 1 +", runs: [] }]);
  });
});
