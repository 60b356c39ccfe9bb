// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from "vitest";

import type { Histograms } from "./histograms";
import { HistogramLayout, type ChartShape } from "./histogramLayout";

const SHAPES: readonly ChartShape[] = ["ridge", "front", "heat", "bands"];

const area = { left: 10, top: 20, width: 100, height: 200 };
const zeros = new Float64Array(3);
const histograms: Histograms = {
  run: "run",
  tag: "tag",
  ...{ first: 0, last: 20, returned: 3 },
  steps: 3,
  in_range: 3,
  steps_per_row: 1,
  problem: null,
  start_wall_time: 0,
  version: 1,
  cursor: "c",
  kept: 0,
  error: null,
  step: Float64Array.of(0, 10, 20),
  last_step: Float64Array.of(0, 10, 20),
  wall_time: Float64Array.of(0, 1, 9),
  last_wall_time: Float64Array.of(0, 1, 9),
  merged: Float64Array.of(1, 1, 1),
  unreadable: zeros,
  bucket_start: Float64Array.of(0, 2, 4, 6),
  minimum: zeros,
  maximum: zeros,
  sum: zeros,
  total: zeros,
  nan: zeros,
  positive_infinity: zeros,
  negative_infinity: zeros,
  left: Float64Array.of(0, 5, 0, 5, 0, 5),
  right: Float64Array.of(5, 10, 5, 10, 5, 10),
  count: Float64Array.of(1, 3, 2, 2, 3, 1),
};

describe("HistogramLayout", () => {
  it.each(SHAPES)("finds in %s what it has drawn there", (shape) => {
    const view = new HistogramLayout(histograms, shape, "step", area);
    // Outlines of a ridge cover those below them; the newest is covered by none.
    for (let row = shape === "ridge" ? 2 : 0; row < 3; row++) {
      for (let bucket = 0; bucket < 2; bucket++) {
        const value = view.valueAt(2.5 + 5 * bucket);
        const pixel = Math.floor(value - area.left);
        const place = view.isValueHorizontal
          ? view.placeAt(value, view.stepAt(view.positions[row]!) - (shape === "front" ? view.heightAt(row, pixel) : 0))
          : view.placeAt(view.stepAt(view.positions[row]!), value);
        expect(place).toEqual({ row, bucket: row * 2 + bucket });
      }
    }
  });

  it("keeps steps in their order and inside of the area", () => {
    for (const shape of ["ridge", "heat", "bands"] as const) {
      const view = new HistogramLayout(histograms, shape, "relative", area);
      const at = [...view.positions].map((position) => view.stepAt(position));
      expect(at).toEqual([...at].sort((one, other) => one - other));
      expect(view.columnOf(2)[1]).toBe(area.left + area.width);
    }
  });

  it("finds nothing outside", () => {
    expect(new HistogramLayout(histograms, "heat", "step", area).placeAt(0, 0)).toBeNull();
  });

  it("zooms into whole rows, and into everything along a direction in which a drag is short", () => {
    const view = new HistogramLayout(histograms, "heat", "step", area);
    const [from, to] = view.columnOf(1);
    const middle = { x: (from + to) / 2, y: area.top + 150 };
    expect(view.boxOf(view.dragged({ x: from + 2, y: area.top + 50 }, { x: to - 2, y: area.top + 52 }))).toEqual({
      x: [5, 15],
      y: [0, 10],
    });
    expect(view.boxOf(view.dragged(middle, { x: middle.x + 3, y: area.top + 50 }))).toEqual({ x: [-5, 25], y: [2.5, 7.5] });
    expect(view.boxOf(view.dragged(middle, { x: middle.x + 3, y: middle.y + 3 }))).toBeNull();
    const ridge = new HistogramLayout(histograms, "ridge", "step", area);
    const base = ridge.stepAt(0);
    expect(ridge.boxOf(ridge.dragged({ x: area.left, y: base - 20 }, { x: area.left + 50, y: base + 2 }))).toEqual({
      x: [-5, 5],
      y: [0, 5],
    });
  });

  it("shows merged steps as one of them on average, at their middle", () => {
    const merged = {
      ...histograms,
      last_step: Float64Array.of(9, 19, 29),
      merged: Float64Array.of(10, 10, 5),
      unreadable: Float64Array.of(0, 5, 0),
    };
    const view = new HistogramLayout(merged, "heat", "step", area);
    expect([...view.positions]).toEqual([4.5, 14.5, 24.5]);
    const sums = view.spread.map((counts) => counts.reduce((sum, count) => sum + count, 0));
    [0.4, 0.8, 0.8].forEach((want, row) => expect(sums[row]).toBeCloseTo(want));
  });

  it("shows only the requested values", () => {
    const view = new HistogramLayout(histograms, "heat", "step", area, [0, 5]);
    const sums = view.spread.map((counts) => counts.reduce((sum, count) => sum + count, 0));
    [1, 2, 3].forEach((want, row) => expect(sums[row]).toBeCloseTo(want));
  });
});
