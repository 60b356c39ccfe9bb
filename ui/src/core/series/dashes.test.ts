// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from "vitest";

import { LINE, type Curve } from "./curve";
import { dashOf, dashSign } from "./dashes";
import { withDistinctDashes } from "./topCurves";

function curve(color: string, index: number): Curve {
  const [x, raw] = [Float64Array.of(0), Float32Array.of(0)];
  return { ...LINE, key: "", label: "", color, x, raw, smoothed: null, isAscending: true, dash: dashOf(index) };
}

describe("dashes", () => {
  it("begin with a whole line and never repeat", () => {
    const all = Array.from({ length: 200 }, (_, index) => dashOf(index));
    expect(all[0]).toEqual([]);
    expect(new Set(all.map((dash) => dash.join())).size).toBe(200);
    expect(all.every((dash) => dash.length % 2 === 0)).toBe(true);
    expect(new Set(all.map((_, index) => dashSign(index))).size).toBe(200);
  });

  it("are the simplest ones by which lines of one color differ", () => {
    const lines = withDistinctDashes([curve("red", 9), curve("blue", 4), curve("red", 0), curve("red", 12)]);
    expect(lines.map(({ dash }) => dash)).toEqual([dashOf(1), [], [], dashOf(2)]);
  });
});
