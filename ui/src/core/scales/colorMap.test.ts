// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from "vitest";

import { colorAt, hexToRgb, rgbText } from "./colorMap";

describe("colorAt", () => {
  it("goes straight from color to color and stays inside", () => {
    const stops = [hexToRgb("#000000"), hexToRgb("#640000"), hexToRgb("#64ff00")];
    expect([-1, 0, 0.25, 0.5, 0.75, 1, 7].map((share) => colorAt(stops, share)[0])).toEqual([0, 0, 50, 100, 100, 100, 100]);
    expect(colorAt(stops, 0.75)).toEqual([100, 128, 0]);
    expect(rgbText([1, 2, 3], 0.5)).toBe("rgb(1 2 3 / 0.5)");
  });
});
