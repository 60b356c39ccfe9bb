// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from "vitest";

import { boundText, ruleOf } from "./threshold";

describe("rules", () => {
  it("join comparisons of the value", () => {
    const low = { operator: "<", limit: "0.1" };
    expect(ruleOf([{ operator: ">", limit: " 2e0 " }], "and")).toBe("value > 2");
    expect(ruleOf([{ operator: ">", limit: "2" }, low], "or")).toBe("value > 2 or value < 0.1");
    expect(ruleOf([{ operator: ">", limit: "" }], "and")).toBeNull();
    expect(ruleOf([low, { operator: ">", limit: "much" }], "and")).toBeNull();
  });

  it("are at their lines", () => {
    expect(boundText({ operator: ">=", limit: 0.5 })).toBe("≥ 0.5");
  });
});
