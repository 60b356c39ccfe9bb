// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from "vitest";

import { figureText, isFault, shapeText } from "./figureText";
import { heatScale, heatShare } from "./heatScale";

describe("the color scale of a figure", () => {
  it("is logarithmic for figures over several orders of magnitude, also with zeros", () => {
    const scale = heatScale([0, 0.01, 0.1, 1, 100, NaN])!;
    expect(scale).toEqual({ low: 0.01, high: 100, isLog: true, isBelow: true, isAbove: false });
    expect([heatShare(1, scale), heatShare(0, scale), heatShare(100, scale)]).toEqual([0.5, 0, 1]);
  });

  it("is linear for close figures and negative ones", () => {
    expect(heatScale([1, 50])).toEqual({ low: 1, high: 50, isLog: false, isBelow: false, isAbove: false });
    expect(heatShare(0, heatScale([-10, 10])!)).toBe(0.5);
    expect(heatShare(3, heatScale([3, 3])!)).toBe(0.5);
  });

  it("is not taken by a few outliers of either sign", () => {
    const many = Array.from({ length: 1000 }, (_, place) => (place % 21) - 10);
    const scale = heatScale([...many, 1e9, -1e7])!;
    expect(scale).toEqual({ low: -10, high: 10, isLog: false, isBelow: true, isAbove: true });
    expect([heatShare(1e9, scale), heatShare(-1e7, scale), heatShare(0, scale)]).toEqual([1, 0, 0.5]);
  });

  it("does not exist without a finite figure", () => {
    expect([heatScale([]), heatScale([NaN, Infinity])]).toEqual([null, null]);
    expect(heatScale([0, 0])).toMatchObject({ low: 0, high: 0 });
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
