// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from "vitest";

import { AxisScale } from "./axisScale";
import type { LineageCell, LineageColumn, ScaleKind } from "./column";
import { paintDisc } from "./discRaster";
import { marginCounts, nearestPoint, pointRadii, scatterPoints } from "./scatterPoints";

function column(cells: readonly LineageCell[]): LineageColumn {
  return { id: "x", group: "metric", name: "x", kind: "float", count: 0, low: null, high: null, differs: true, goal: "max", cells };
}

const scaleOf = (cells: readonly LineageCell[], scale: ScaleKind): AxisScale =>
  new AxisScale(
    { column: column(cells), scale, isTurned: false },
    cells.map((_, row) => row),
  );

describe("points", () => {
  const x = scaleOf([0, 1, 2, null, 4], "linear");
  const y = scaleOf([1, 10, 100, 1, 0], "log");

  it("have a place on both axes", () => {
    const points = scatterPoints(x, y, [0, 1, 2, 3, 4]);
    expect([...points.lines]).toEqual([0, 1, 2]);
    expect([...points.x]).toEqual([0, 0.25, 0.5]);
    expect([...points.y]).toEqual([0, 0.5, 1]);
    expect(points.unplaced).toBe(2);
  });

  it("of a category stay in its band, each at its own place", () => {
    const cells = Array.from({ length: 40 }, (_, row) => (row % 2 === 0 ? "a" : "b"));
    const points = scatterPoints(
      scaleOf(cells, "category"),
      scaleOf(
        cells.map((_, row) => row),
        "linear",
      ),
      cells.map((_, row) => row),
    );
    points.x.forEach((share, row) => expect(Math.floor(share * 2)).toBe(row % 2));
    expect(new Set(points.x).size).toBe(40);
  });

  it("have areas by a column", () => {
    const [small, middle, large, missing] = pointRadii(column([0, 5, 10, null]), [0, 1, 2, 3]);
    expect(large! ** 2 - middle! ** 2).toBeCloseTo(middle! ** 2 - small! ** 2, 4);
    expect(missing).toBe(small);
    expect(new Set(pointRadii(column([3, 3]), [0, 1])).size).toBe(1);
  });

  it("are found near a place if they pass", () => {
    const points = scatterPoints(x, y, [0, 1, 2, 3, 4]);
    const room = { width: 100, height: 100, reach: 8 };
    expect(nearestPoint(points, { x: 0.3, y: 0.45 }, room, [1, 1, 1, 1, 1])).toBe(1);
    expect(nearestPoint(points, { x: 0.3, y: 0.45 }, room, [1, 0, 1, 1, 1])).toBeNull();
    expect(nearestPoint(points, { x: 0.35, y: 0.5 }, room, [1, 1, 1, 1, 1])).toBeNull();
  });
});

it("margins count each run with a place once", () => {
  const cells = [0, 0.1, 0.5, 1, null];
  const { all, passing } = marginCounts(scaleOf(cells, "linear"), [0, 1, 2, 3, 4], [1, 0, 1, 1, 1]);
  const sum = (counts: Uint32Array): number => counts.reduce((one, other) => one + other, 0);
  expect([sum(all), sum(passing), all[0], passing[0], all.at(-1)]).toEqual([4, 3, 2, 1, 1]);
  expect([...marginCounts(scaleOf(["b", "a", "b"], "category"), [0, 1, 2], [1, 1, 0]).all]).toEqual([1, 2]);
});

it("a disc covers its area, and only what is on the canvas", () => {
  const pixels = { width: 21, height: 21, data: new Uint8ClampedArray(4 * 21 * 21) };
  paintDisc(pixels, 10.5, 10.5, 6, [255, 0, 0], 1);
  const opacity = pixels.data.filter((_, index) => index % 4 === 3).reduce((sum, each) => sum + each / 255, 0);
  expect(opacity).toBeCloseTo(Math.PI * 36, -1);
  expect([...pixels.data.subarray(4 * (10 * 21 + 10), 4 * (10 * 21 + 11))]).toEqual([255, 0, 0, 255]);
  paintDisc(pixels, 10.5, 10.5, 6, [0, 0, 255], 0.5);
  expect([...pixels.data.subarray(4 * (10 * 21 + 10), 4 * (10 * 21 + 11))]).toEqual([128, 0, 128, 255]);
  expect(() => paintDisc(pixels, -3, 30, 6, [255, 0, 0], 1)).not.toThrow();
});
