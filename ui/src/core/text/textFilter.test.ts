// SPDX-License-Identifier: Apache-2.0
import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { matcherFor } from "./textFilter";

describe("filters", () => {
  it("find every word, in any case", () => {
    const { matches } = matcherFor({ text: "LOSS train", isRegex: false });
    expect(["train/loss", "loss/train", "val/loss"].map(matches)).toEqual([true, true, false]);
  });

  it("take regular expressions and say what is wrong with one", () => {
    expect(matcherFor({ text: "^val/(loss|acc)$", isRegex: true }).matches("val/acc")).toBe(true);
    const broken = matcherFor({ text: "(", isRegex: true });
    expect(broken.error).not.toBeNull();
    expect(broken.matches("anything")).toBe(true);
  });

  it("refuse expressions that may take exponential time", () => {
    for (const text of ["(a+)+$", "(a*)*b", "((a)+)+", "(x(a+)y)*", "(?:a{2,})+", "(a|b+){3,}"]) {
      const { error, matches } = matcherFor({ text, isRegex: true });
      expect(error, text).not.toBeNull();
      expect(matches("a".repeat(50))).toBe(true);
    }
    for (const text of ["^val/(loss|acc)+$", "layer\\.(\\d+)\\.", "a+b*", "(\\+)+", "([)+*])+x", "(a+)b+", "(?:ab)*", "\\(a+\\)+"])
      expect(matcherFor({ text, isRegex: true }).error, text).toBeNull();
  });

  it("take every text literally when it is no expression", () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        expect(matcherFor({ text, isRegex: false }).matches(`a ${text} b`)).toBe(true);
      }),
    );
  });
});
