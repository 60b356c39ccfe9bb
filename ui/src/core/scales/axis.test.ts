// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from "vitest";

import { axisPositions } from "./axis";

describe("positions on the axis", () => {
  const columns = { step: Float64Array.of(3, 4), wall_time: Float64Array.of(102, 103.5) };

  it("are steps, seconds since the first point, or the clock", () => {
    expect([...axisPositions("step", columns, 100)]).toEqual([3, 4]);
    expect([...axisPositions("relative", columns, 100)]).toEqual([2, 3.5]);
    expect([...axisPositions("wall", columns, 100)]).toEqual([102, 103.5]);
  });
});
