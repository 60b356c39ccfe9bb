// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from "vitest";

import { figureText, isFault, shapeText } from "./figureText";
import { heatShare, isLogScale } from "./heatScale";

describe("the color scale of a figure", () => {
  it("is logarithmic for positive figures over several orders of magnitude", () => {
    expect(isLogScale(0.01, 10)).toBe(true);
    expect(heatShare(1, 0.01, 100, true)).toBeCloseTo(0.5);
  });

  it("is linear for close figures, zeros and negative ones", () => {
    expect([isLogScale(1, 50), isLogScale(0, 1e9), isLogScale(-1, 1e9)]).toEqual([false, false, false]);
    expect(heatShare(0, -10, 10, false)).toBe(0.5);
    expect(heatShare(3, 3, 3, false)).toBe(0.5);
  });
});

describe("figures in words", () => {
  it("say what was not recorded", () => {
    expect(["max", "nan", "zero_share"].map((figure) => figureText(figure, NaN))).toEqual(["–", "–", "–"]);
    expect(figureText("count", 0)).toBe("0");
    expect(figureText("zero_share", 0.25)).toBe("25 %");
    expect([shapeText(null), shapeText([]), shapeText([2, 3])]).toEqual(["–", "[]", "[2, 3]"]);
  });

  it("are faults where elements are not finite", () => {
    expect([isFault("nan", 1), isFault("nan", 0), isFault("max", 7), isFault("non_finite", undefined)]).toEqual([
      true,
      false,
      false,
      false,
    ]);
  });
});
