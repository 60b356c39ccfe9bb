// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from "vitest";

import { SHAPES, type Histograms } from "./histograms";
import { HistogramView } from "./histogramView";

const area = { left: 10, top: 20, width: 100, height: 200 };
const zeros = new Float64Array(3);
const histograms: Histograms = {
  run: "run", tag: "tag", steps: 3, unreadable: 0, problem: null, startWallTime: 0, version: 1,
  step: Float64Array.of(0, 10, 20), wallTime: Float64Array.of(0, 1, 9), bucketStart: Float64Array.of(0, 2, 4, 6),
  minimum: zeros, maximum: zeros, sum: zeros, total: zeros, nan: zeros, positiveInfinity: zeros, negativeInfinity: zeros,
  left: Float64Array.of(0, 5, 0, 5, 0, 5), right: Float64Array.of(5, 10, 5, 10, 5, 10), count: Float64Array.of(1, 3, 2, 2, 3, 1),
  leftOut: new Float64Array(0),
};

describe("HistogramView", () => {
  it.each(SHAPES)("finds in %s what it has drawn there", (shape) => {
    const view = new HistogramView(histograms, shape, "step", area);
    // Outlines of a ridge cover those behind them; the newest is covered by none.
    for (let row = shape === "ridge" ? 2 : 0; row < 3; row++) {
      for (let bucket = 0; bucket < 2; bucket++) {
        const value = view.valueAt(2.5 + 5 * bucket);
        const pixel = Math.floor(value - area.left);
        const place = view.isValueAcross
          ? view.placeAt(value, view.stepAt(view.positions[row]!) - (shape === "front" ? view.heightAt(row, pixel) : 0))
          : view.placeAt(view.stepAt(view.positions[row]!), value);
        expect(place).toEqual({ row, bucket: row * 2 + bucket });
      }
    }
  });

  it("keeps steps in their order and inside of the area", () => {
    for (const shape of ["ridge", "heat", "bands"] as const) {
      const view = new HistogramView(histograms, shape, "relative", area);
      const at = [...view.positions].map((position) => view.stepAt(position));
      expect(at).toEqual([...at].sort((one, other) => one - other));
      expect(view.columnOf(2)[1]).toBe(area.left + area.width);
    }
  });

  it("finds nothing outside", () => {
    expect(new HistogramView(histograms, "heat", "step", area).placeAt(0, 0)).toBeNull();
  });
});
