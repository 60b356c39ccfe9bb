// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from "vitest";

import { LINE, type Curve } from "./curve";
import { rankedLabels, rankingOf, withDensity } from "./topCurves";

function curve(label: string, values: readonly number[], color = "red"): Curve {
  return {
    ...LINE,
    key: label,
    label,
    color,
    x: Float64Array.from(values, (_, row) => row),
    raw: Float32Array.from(values),
    smoothed: null,
    isAscending: true,
  };
}

const CURVES = [curve("a", [9, 1, 5]), curve("b", [2, 3, NaN]), curve("c", [NaN]), curve("d", [4, 4, 4])];

describe("the top curves", () => {
  it("are ranked by the value that was chosen, those without one last", () => {
    expect(rankedLabels(CURVES, "lowest_last")).toEqual(["b", "d", "a", "c"]);
    expect(rankedLabels(CURVES, "highest_last")).toEqual(["a", "d", "b", "c"]);
    expect(rankedLabels(CURVES, "minimum")).toEqual(["a", "b", "d", "c"]);
    expect(rankedLabels(CURVES, "maximum")).toEqual(["a", "d", "b", "c"]);
  });

  it("are the lowest of a loss and the highest of all else, by default", () => {
    expect(rankingOf("auto", "train/Loss")).toBe("lowest_last");
    expect(rankingOf("auto", "accuracy")).toBe("highest_last");
    expect(rankingOf("maximum", "loss")).toBe("maximum");
  });

  it("are the only lines; those of one color differ in their dashes", () => {
    const drawn = withDensity([...CURVES, curve("e", [1], "blue")], new Set(["a", "d", "e"]));
    expect(drawn.map(({ isBehind }) => isBehind ?? false)).toEqual([false, true, true, false, false]);
    expect(drawn[0]!.dash).toEqual([]);
    expect(drawn[3]!.dash).not.toEqual([]);
    expect(drawn[4]!.dash).toEqual([]);
  });
});
