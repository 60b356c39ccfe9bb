// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from "vitest";

import { NO_LIMITS, areFlattened, curveOf, heightWithin, rangesOf, wholeRanges } from "./curve";
import { nonFiniteMarks } from "./nonFinite";
import { lastValue, type Series } from "./series";
import { chartCounts, seriesSummary } from "./seriesSummary";

const SCALING = { isLog: false, isLogX: false, ignoresOutliers: false, limits: NO_LIMITS };

function series(values: number[], change: Partial<Series> = {}): Series {
  const rows = values.map((_, row) => row);
  return {
    run: "a",
    tag: "loss",
    points: values.length,
    returned: values.length,
    reduced: false,
    nan: 0,
    positive_infinity: 0,
    negative_infinity: 0,
    overwritten: 0,
    repeated: 0,
    start_wall_time: 100,
    first_step: 0,
    last_step: 0,
    version: 1,
    cursor: "3-0000000000000001",
    kept: 0,
    error: null,
    x: null,
    step: Float64Array.from(rows),
    wall_time: Float64Array.from(rows, (row) => 100 + row),
    value: Float32Array.from(values),
    smoothed: null,
    mean: null,
    quantiles: Float32Array.from(values).sort(),
    ...change,
  };
}

describe("facts beside the curves", () => {
  it("adds up all curves", () => {
    const all = [
      series([1, 0, -1], { nan: 2, points: 50, reduced: true, overwritten: 10, repeated: 1 }),
      series([-Infinity, 3], { negative_infinity: 1, repeated: 2 }),
    ];
    expect(chartCounts(all, true)).toEqual({
      points: 52,
      returned: 5,
      isReduced: true,
      nan: 2,
      infinite: 1,
      overwritten: 10,
      repeated: 3,
      notPositive: 2,
    });
    expect(chartCounts(all, false).notPositive).toBe(0);
  });

  it("gives last, smallest and largest of a run", () => {
    expect(seriesSummary(series([3, 1, NaN]))).toEqual({ run: "a", last: NaN, minimum: 1, maximum: 3, points: 3 });
    expect(seriesSummary(series([])).last).toBeNull();
  });

  it("leaves the neighbors of a range out of its figures", () => {
    const one = series([9, 1, 3, 2, -9], { points: 3 });
    expect(seriesSummary(one, { places: [0, 1, 2, 3, 4], range: [0.5, 3.5] })).toEqual({
      run: "a",
      last: 2,
      minimum: 1,
      maximum: 3,
      points: 3,
    });
  });

  it("takes the last step for the last value where another tag is on the x axis", () => {
    const one = series([5, 6, 7], { x: Float64Array.of(0.1, 0.2, 0.3), step: Float64Array.of(2, 3, 1) });
    expect(lastValue(one)).toBe(6);
  });
});

describe("what a chart shows", () => {
  it("is everything, spikes of the raw curve included", () => {
    const curve = curveOf(series([1, 100, 1], { smoothed: Float32Array.of(1, 2, 2) }), "step", "#000");
    const ranges = wholeRanges([curve], SCALING);
    expect(ranges.x).toEqual([0, 2]);
    expect(ranges.ys[0]![1]).toBeGreaterThan(100);
  });

  it("leaves far values to the edge when asked to, on a logarithmic axis too", () => {
    const values = [...Array.from({ length: 60 }, (_, row) => 1 + row / 60), 1e6];
    const curve = curveOf(series(values), "step", "#000");
    for (const isLog of [false, true]) {
      const [, top] = wholeRanges([curve], { ...SCALING, isLog, ignoresOutliers: true }).ys[0]!;
      expect(top).toBeGreaterThan(1 + 59 / 60);
      expect(top).toBeLessThan(3);
    }
    expect(nonFiniteMarks(curve.x, curve.raw, false, [0, 3])).toEqual([{ x: 60, kind: "above" }]);
  });

  it("judges far values by the values alone, whatever rows, smoothed values and bands a width and an axis give it", () => {
    const values = Array.from({ length: 60 }, (_, row) => (row === 30 ? 1e6 : 1 + row / 60));
    const quantiles = Float32Array.from(values).sort();
    const smoothed = Float32Array.from(values, (_, row) => (row < 30 ? 1 : 1e6 * 0.9 ** (row - 30)));
    const whole = curveOf(series(values, { smoothed, quantiles }), "step", "#000");
    const few = curveOf(series([1, 1e6, 2], { smoothed: Float32Array.of(1, 1e6, 1e5), quantiles }), "relative", "#000");
    const band = { low: smoothed, high: Float32Array.from(values, () => 1e6) };
    for (const isLog of [false, true]) {
      for (const curve of [whole, few, { ...whole, band }]) {
        expect(areFlattened([curve], isLog)).toBe(true);
        expect(wholeRanges([curve], { ...SCALING, isLog, ignoresOutliers: true }).ys[0]![1]).toBeLessThan(3);
      }
      const even = curveOf(series([1, 2], { quantiles: Float32Array.of(1, 1.2, 1.4, 1.6, 1.8, 2) }), "step", "#000");
      expect(areFlattened([even], isLog)).toBe(false);
    }
  });

  it("shows values that are all far rather than nothing", () => {
    const curve = curveOf(series([1e6], { quantiles: Float32Array.from({ length: 60 }, (_, row) => row) }), "step", "#000");
    const [low, high] = wholeRanges([curve], { ...SCALING, ignoresOutliers: true }).ys[0]!;
    expect(low).toBeLessThan(1e6);
    expect(high).toBeGreaterThan(1e6);
  });

  it("brings a guide into sight that is near, and no other", () => {
    const curve = curveOf(series([1, 2]), "step", "#000");
    const [low, high] = wholeRanges([curve], SCALING, [2.5, 400]).ys[0]!;
    expect(low).toBeGreaterThan(0.5);
    expect(high).toBeGreaterThan(2.5);
    expect(high).toBeLessThan(3);
  });

  it("gives every vertical axis its own range, and a zoom the same share of each", () => {
    const left = curveOf(series([0, 10]), "step", "#000");
    const right = { ...curveOf(series([0, 1000]), "step", "#000"), scale: 1 };
    const whole = wholeRanges([left, right], SCALING);
    const zoomed = rangesOf({ x: [0, 1], y: [0, 10] }, whole, SCALING);
    expect(zoomed.ys[1]![0]).toBeCloseTo(0);
    expect(zoomed.ys[1]![1]).toBeCloseTo(1000);
  });

  it("keeps a box that was dragged on linear axes within what has a logarithm", () => {
    const scaling = { ...SCALING, isLog: true, isLogX: true };
    const whole = wholeRanges([curveOf(series([5, 6, 7]), "step", "#000")], scaling);
    const [low, high] = whole.ys[0]!;
    expect(rangesOf({ x: [-1, 1.5], y: [-2, 6] }, whole, scaling)).toEqual({ ...whole, x: [1, 1.5], ys: [[low, 6]] });
    expect(rangesOf({ x: [-2, 0], y: [-2, 1] }, whole, scaling)).toEqual({ ...whole, x: [1, 2], ys: [[low, high]] });
    expect(rangesOf({ x: [1, 2], y: [5.5, 6] }, whole, scaling).ys).toEqual([[5.5, 6]]);
  });

  it("has no vertical axis to speak of where nothing has a height", () => {
    const [nan, one] = [curveOf(series([NaN, Infinity]), "step", "#000"), curveOf(series([1]), "step", "#000")];
    expect(wholeRanges([nan], SCALING).bare).toEqual([true]);
    expect(wholeRanges([nan, one], SCALING).bare).toEqual([false]);
    expect(wholeRanges([nan], SCALING, [2]).bare).toEqual([false]);
  });

  it("keeps an ignored outlier out of the height when the curve is smoothed", () => {
    const values = Array.from({ length: 200 }, (_, row) => (row === 100 ? 900 : 1 + (row % 10) / 10));
    let last = values[0]!;
    const smoothed = Float32Array.from(values, (value) => (last = 0.9 * last + 0.1 * value));
    const curve = curveOf(series(values, { smoothed }), "step", "#000");
    expect(wholeRanges([curve], { ...SCALING, ignoresOutliers: true }).ys[0]![1]).toBeLessThan(2.2);
    expect(wholeRanges([curve], SCALING).ys[0]![1]).toBeGreaterThan(900);
  });

  it("begins a logarithmic axis at the first place that has a logarithm", () => {
    expect(wholeRanges([curveOf(series([5, 6, 7]), "step", "#000")], { ...SCALING, isLogX: true }).x).toEqual([1, 2]);
  });

  it("moves a run by its offset", () => {
    expect([...curveOf(series([5, 6]), "step", "#000", 10).x]).toEqual([10, 11]);
  });

  it("fits the height to the rows of a range", () => {
    const curve = curveOf(series([1, 100, 2, 3]), "step", "#000");
    const [low, high] = heightWithin([curve], [2, 3], { isLog: false, limits: NO_LIMITS });
    expect(low).toBeLessThan(2);
    expect(high).toBeLessThan(4);
  });
});
