// SPDX-License-Identifier: Apache-2.0
import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { along, plotFrame, squareSize, type PlotFrame, type Size } from "./plotFrame";

const ACROSS = { axis: "step", isLog: false } as const;
const yAxis = (title: string): { title: string; color: null; isLog: boolean } => ({ title, color: null, isLog: false });
const frameOf = (count: number): ReturnType<typeof plotFrame> => {
  const yAxes = ["loss", "accuracy", "rate"].slice(0, count).map(yAxis);
  return plotFrame({ width: 600, height: 300 }, { x: [0, 100], ys: yAxes.map(() => [0, 1]) }, ACROSS, yAxes, (label) => 7 * label.length);
};

describe("along", () => {
  it("leads from values to places and back", () => {
    const positive = fc.double({ min: 1e-6, max: 1e6, noNaN: true });
    fc.assert(
      fc.property(
        positive,
        fc.double({ min: 1.01, max: 1e6, noNaN: true }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        fc.boolean(),
        (low, factor, share, isLog) => {
          const { place, value } = along([low, low * factor], 40, 640, isLog);
          expect([place(low), place(low * factor)].map((at) => Math.round(at * 1e6) / 1e6)).toEqual([40, 640]);
          expect(place(value(40 + 600 * share))).toBeCloseTo(40 + 600 * share, 6);
        },
      ),
    );
  });
});

describe("plotFrame", () => {
  it("leaves the room beside the curves to the axes, left and right in turn", () => {
    const { area, yAxes } = frameOf(3);
    expect(yAxes.map(({ isRight }) => isRight)).toEqual([false, true, false]);
    expect(area.left).toBe(yAxes[0]!.width + yAxes[2]!.width);
    expect(600 - area.left - area.width).toBe(yAxes[1]!.width);
    expect(yAxes[2]!.offset).toBe(yAxes[0]!.width);
  });

  it("writes nothing beside an axis that nothing has a height on", () => {
    const { yAxes } = plotFrame({ width: 600, height: 300 }, { x: [0, 100], ys: [[0, 1]], bare: [true] }, ACROSS, [yAxis("loss")], () => 7);
    expect(yAxes[0]!.labels).toEqual([]);
  });

  it("titles axes only where there are several", () => {
    expect(frameOf(1).yAxes[0]!.title).toBe("");
    expect(frameOf(2).yAxes.map(({ title }) => title)).toEqual(["loss", "accuracy"]);
  });

  it("titles a single axis beside a titled horizontal one, and makes a square area", () => {
    const titled = (size: Size): PlotFrame =>
      plotFrame(size, { x: [0, 1], ys: [[0, 1]] }, { ...ACROSS, title: "Recall" }, [yAxis("Precision")], () => 7);
    const whole = titled({ width: 600, height: 300 });
    expect([whole.bottom.title, whole.yAxes[0]!.title]).toEqual(["Recall", "Precision"]);
    expect(whole.area.height).toBeLessThan(frameOf(1).area.height);
    const { area } = titled(squareSize(whole));
    expect([area.width, area.height]).toEqual([whole.area.height, whole.area.height]);
  });

  it("writes no label beyond the edge", () => {
    const { bottom, projections } = frameOf(1);
    bottom.labels.forEach((label, index) => expect(projections[0]!.x(bottom.ticks[index]!) + 3.1 * label.length).toBeLessThanOrEqual(600));
  });
});
