// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from "vitest";

import { partExpression } from "./formula";
import { isWeightOnly, smoothingOf } from "./smoothing";

describe("expressions for the server", () => {
  it("quote tags and leave formulas as they are", () => {
    expect(partExpression("train/loss")).toBe("`train/loss`");
    expect(partExpression("a`b")).toBe('tag("a`b")');
    expect(partExpression("= 1 - acc")).toBe("1 - acc");
  });

  it("say how to smooth in one way only", () => {
    expect(smoothingOf({ smoother: "median", reach: 4.6 }, 0.9)).toEqual({
      weight: 0,
      half_life_steps: 0,
      half_life_seconds: 0,
      median_points: 5,
    });
    expect(isWeightOnly(smoothingOf({ smoother: "weight", reach: 10 }, 0.9))).toBe(true);
    expect(isWeightOnly(smoothingOf({ smoother: "half_life_seconds", reach: 10 }, 0.9))).toBe(false);
  });
});
