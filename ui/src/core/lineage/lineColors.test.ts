// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from "vitest";

import type { LineageCell, LineageColumn } from "./column";
import { channelsOf, isSameColorBy, lineColors, NO_COLOR } from "./lineColors";
import { CHANNEL_MAX } from "./lineRaster";

function column(cells: readonly LineageCell[], kind: LineageColumn["kind"], goal: LineageColumn["goal"] = "max"): LineageColumn {
  return { id: "x", group: "metric", name: "x", kind, count: 0, low: null, high: null, differs: true, goal, cells };
}

describe("colors of lines", () => {
  it("are shares of the color map, the better end last", () => {
    expect(lineColors({ column: column([0, null, 5, 10], "int"), scale: "linear" }, [3, 2, 1, 0])).toEqual({
      shares: Float64Array.of(1, 0.5, NaN, 0),
    });
    expect(lineColors({ column: column([0, 10], "int", "min"), scale: "linear" }, [0, 1])).toEqual({ shares: Float64Array.of(1, 0) });
  });

  it("are a color for each category or run", () => {
    expect(lineColors({ column: column(["b", "a", null, "b"], "text"), scale: "category" }, [0, 1, 2, 3])).toEqual({
      colors: ["var(--series-1)", "var(--series-0)", NO_COLOR, "var(--series-1)"],
    });
    expect(lineColors({ colors: ["red", "lime"] }, [1, 0])).toEqual({ colors: ["lime", "red"] });
  });

  it("are channels of a raster", () => {
    expect([...channelsOf({ shares: Float64Array.of(1, NaN, 0.5) }, () => [0, 0, 0])]).toEqual([
      CHANNEL_MAX,
      CHANNEL_MAX,
      0,
      0,
      0,
      0,
      CHANNEL_MAX,
      64,
      0,
    ]);
    expect([...channelsOf({ colors: ["a", "b"] }, (color) => (color === "a" ? [255, 0, 0] : [0, 0, 255]))]).toEqual([
      CHANNEL_MAX,
      0,
      0,
      0,
      0,
      CHANNEL_MAX,
    ]);
  });

  it("are the same for equal columns and equal lists", () => {
    const cells = [1, 2];
    const by = (goal: "max" | "min"): { column: LineageColumn; scale: "linear" } => ({
      column: column(cells, "int", goal),
      scale: "linear",
    });
    expect(isSameColorBy(by("max"), by("max"))).toBe(true);
    expect(isSameColorBy(by("max"), by("min"))).toBe(false);
    expect(isSameColorBy(by("max"), { colors: ["red"] })).toBe(false);
    expect(isSameColorBy({ colors: ["red"] }, { colors: ["red"] })).toBe(true);
    expect(isSameColorBy({ colors: ["red"] }, { colors: ["lime"] })).toBe(false);
  });
});
