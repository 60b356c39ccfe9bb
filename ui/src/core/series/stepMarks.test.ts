// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from "vitest";

import { stepMarks } from "./stepMarks";

const range = (first: number, last: number, profile = "p") => ({ run: "a", profile, first, last });

describe("marks of steps", () => {
  it("have the place and length of their steps, but a width that can be hit", () => {
    const marks = stepMarks([range(10, 30), range(50, 50)], 100, (step) => step);
    expect(marks.map(({ left, width }) => [left, width])).toEqual([
      [10, 20],
      [47, 6],
    ]);
  });

  it("end at the edges of the area, and are none beyond them", () => {
    const marks = stepMarks([range(0, 20), range(90, 130), range(140, 150)], 100, (step) => step - 10);
    expect(marks.map(({ left, width }) => [left, width])).toEqual([
      [0, 10],
      [80, 20],
    ]);
  });

  it("are one where they would overlap", () => {
    const [first, second] = stepMarks([range(40, 42, "c"), range(10, 20, "a"), range(18, 24, "b")], 100, (step) => step);
    expect(first).toMatchObject({ left: 10, width: 14, ranges: [{ profile: "a" }, { profile: "b" }] });
    expect(second!.ranges).toHaveLength(1);
  });

  it("are none for a step that has no place on the axis", () => {
    expect(stepMarks([range(0, 0)], 100, (step) => Math.log10(step))).toEqual([]);
  });
});
