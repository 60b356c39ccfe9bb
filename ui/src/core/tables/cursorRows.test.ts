// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from "vitest";

import { curveOf } from "../series/curve";
import { NO_ROWS, type Series } from "../series/series";
import { runRows, tableHeight } from "./cursorRows";

function series(value: number[], step = value.map((_, row) => 10 * row)): Series {
  const facts = { run: "a", tag: "loss", points: 0, returned: 0, reduced: false, nan: 0, positive_infinity: 0, negative_infinity: 0 };
  const more = { overwritten: 0, repeated: 0, first_step: 0, last_step: null, version: 0, cursor: null, kept: 0, error: null, x: null };
  const wall_time = Float64Array.from(step, (one) => 100 + one / 10);
  return { ...NO_ROWS, ...facts, ...more, start_wall_time: 100, step: Float64Array.from(step), wall_time, value: Float64Array.from(value) };
}

describe("rows at the cursor", () => {
  const line = series([3, 2, 1]);
  const curves = [curveOf(line, "step", "red")];

  it("are the nearest points, or the last ones of what is visible", () => {
    const [near] = runRows(curves, [line], null, { cursor: 12, range: null });
    expect(near).toMatchObject({ name: "a", value: 2, step: 10, relative: 1, difference: null });
    expect(runRows(curves, [line], null, { cursor: null, range: null })[0]).toMatchObject({ value: 1, step: 20 });
    expect(runRows(curves, [line], null, { cursor: null, range: [0, 15] })[0]).toMatchObject({ value: 2, step: 10 });
    expect(runRows(curves, [line], null, { cursor: null, range: [30, 40] })[0]).toMatchObject({ value: null, step: null });
  });

  it("have values beside differences, whose rows may be others", () => {
    const values = [series([7, 5], [0, 20])];
    expect(runRows(curves, [line], values, { cursor: 20, range: null })[0]).toMatchObject({ value: 5, difference: 1, step: 20 });
    expect(runRows(curves, [line], [], { cursor: 20, range: null })[0]).toMatchObject({ value: null, difference: 1 });
  });

  it("have room up to a number of lines", () => {
    expect(tableHeight(0)).toBe(0);
    expect(tableHeight(200)).toBe(tableHeight(8));
  });
});
