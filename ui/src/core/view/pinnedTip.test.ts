// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from "vitest";

import { curveOf, type Curve } from "../series/curve";
import type { Series } from "../series/series";
import { isSamePoint, pinnedRows, type PinnedTip } from "./pinnedTip";
import { orderedRows, tooltipRows } from "./tooltipRows";

/** The line y = step at these steps, as a reduced curve may hold them. */
function line(steps: readonly number[], smoothed: number | null = null): Series {
  const step = Float64Array.from(steps);
  return {
    ...{ run: "a", tag: "loss", points: 100, returned: steps.length, reduced: true, nan: 0, positive_infinity: 0, negative_infinity: 0 },
    ...{
      overwritten: 0,
      repeated: 0,
      start_wall_time: 0,
      first_step: 0,
      last_step: 0,
      version: 1,
      cursor: null,
      kept: 0,
      error: null,
      x: null,
    },
    ...{
      step,
      wall_time: step,
      value: Float32Array.from(step),
      quantiles: Float32Array.from(step),
      mean: null,
      smoothed: smoothed === null ? null : Float32Array.from(step, () => smoothed),
    },
  };
}

function curves(...series: Series[]): Curve[] {
  return series.map((one) => curveOf(one, "step", "blue"));
}

function pinnedAt(series: Series, row: number, smoothing = "none"): PinnedTip {
  const points = tooltipRows([{ curve: 0, row, x: 0, distance: 0 }], curves(series), [series], 1);
  return { points, x: series.step[row]!, axis: "step", clientX: 0, clientY: 0, smoothing };
}

const whole = line([0, 25, 50, 75, 100]);
const pin = pinnedAt(whole, 1);

describe("a pinned tip", () => {
  it.each([
    ["zoomed", line([20, 21, 22, 23, 24, 25, 26])],
    ["grown", line([0, 10, 25, 90, 180])],
    ["without its row", line([0, 30, 60])],
  ])("keeps its point when the chart is %s", (_, now) => {
    expect(pinnedRows(pin, curves(now), [now], "none")).toMatchObject([{ step: 25, value: 25, color: "blue" }]);
  });

  it("says what another smoothing makes of its point, and nothing where that is not read", () => {
    const smoothedPin = pinnedAt(line([0, 25], 7), 1, "0.5");
    const rowOf = (now: Series, smoothing: string): (number | null)[] =>
      pinnedRows(smoothedPin, curves(now), [now], smoothing).map(({ smoothed }) => smoothed);
    expect(rowOf(line([0, 25, 50], 9), "0.9")).toEqual([9]);
    expect(rowOf(line([0, 50], 9), "0.9")).toEqual([null]);
    expect(rowOf(line([0, 50], 9), "0.5")).toEqual([7]);
  });

  it("loses lines that are gone", () => {
    expect(pinnedRows(pin, [], [], "none")).toEqual([]);
  });

  it("knows its point again", () => {
    expect(isSamePoint(pin, pin.points)).toBe(true);
    expect(isSamePoint(pin, pinnedAt(whole, 2).points)).toBe(false);
    expect(isSamePoint(pin, [])).toBe(false);
  });

  it("is sorted as another tip", () => {
    const rows = [3, NaN, 7].map((value) => ({ ...pin.points[0]!, value }));
    expect(orderedRows(rows, "nearest").map(({ value }) => value)).toEqual([3, NaN, 7]);
    expect(orderedRows(rows, "descending").map(({ value }) => value)).toEqual([7, 3, NaN]);
  });
});
