// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";

import { NO_LIMITS, curveOf, wholeRanges, type Scaling } from "../../core/series/curve";
import type { Series } from "../../core/series/series";
import { edgeMarks } from "./edgeMarks";
import { plotFrame } from "./plotFrame";

const SIZE = { width: 400, height: 200 };

function marksOf(step: number[], value: number[], scaling: Scaling): string[] {
  const series = {
    run: "a",
    tag: "loss",
    x: Float64Array.from(step),
    value: Float32Array.from(value),
    smoothed: null,
  } as unknown as Series;
  const curve = curveOf(series, "step", "red");
  const frame = plotFrame(
    SIZE,
    wholeRanges([curve], scaling),
    { axis: "step", isLog: scaling.isLogX },
    [{ title: "", color: null, isLog: scaling.isLog }],
    () => 20,
  );
  return edgeMarks(curve, frame, { ...scaling, marksFar: false }).map(
    ({ lines, isClosed, isFilled }) =>
      `${lines.map((line) => line.map(({ x, y }) => `${x} ${y}`).join(" L")).join(" M")}${isClosed ? " Z" : ""}${isFilled ? " filled" : ""}`,
  );
}

const LINEAR = { isLog: false, isLogX: false, ignoresOutliers: false, limits: NO_LIMITS };

test("a curve that has a place everywhere has no marks", () => {
  expect(marksOf([0, 1, 2], [1, 2, 3], LINEAR)).toEqual([]);
});

test("a value without a height is drawn below or above its place", () => {
  expect(marksOf([0, 1, 2], [1, NaN, Infinity], LINEAR)).toEqual([
    expect.stringMatching(/^[\d.]+ 174.5 L[\d.]+ 181.5 M/),
    expect.stringMatching(/^[\d.]+ 4.5 L.* Z filled$/),
  ]);
});

test("what has no place along a logarithmic axis points to the left of it, at its height", () => {
  expect(marksOf([-1, 0, 1, 10], [4, 4, 5, 6], { ...LINEAR, isLogX: true })).toEqual([expect.stringMatching(/^44.5 [\d.]+ L51.5 /)]);
  expect(marksOf([0, 1, 10], [NaN, 5, 6], { ...LINEAR, isLogX: true })).toEqual([]);
});
