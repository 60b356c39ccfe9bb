// SPDX-License-Identifier: Apache-2.0
import type { Range } from "../../core/scales/axis";
import { labelWidth } from "../frame/labelWidth";
import { plotFrame, type PlotFrame, type Size } from "../frame/plotFrame";
import { planeRanges, type DrawnLandscape, type LandscapeLook } from "./drawnLandscape";

const ROOM = 0.05;

/** The frame of landscapes from above: both directions of the plane. */
export function planeFrame(all: readonly DrawnLandscape[], { axes }: LandscapeLook, size: Size): PlotFrame {
  const { x, y } = planeRanges(all);
  const [across, up] = axes;
  return plotFrame(
    size,
    { x, ys: [y] },
    { axis: "value", isLog: false, title: across },
    [{ title: up, color: null, isLog: false }],
    labelWidth,
  );
}

/** The frame of lines: one direction, and the loss. */
export function lineFrame(all: readonly DrawnLandscape[], { axes, lossName }: LandscapeLook, size: Size): PlotFrame {
  const isLog = all[0]?.scale.isLog ?? false;
  const [low, high] = [Math.min(...all.map(({ scale }) => scale.low)), Math.max(...all.map(({ scale }) => scale.high))];
  const room = high > low ? ROOM * (high - low) : 0.5;
  const losses: Range = isLog ? [low / 1.1, high * 1.1] : [low - room, high + room];
  const axis = { axis: "value" as const, isLog: false, title: axes[0] };
  return plotFrame(size, { x: planeRanges(all).x, ys: [losses] }, axis, [{ title: lossName, color: null, isLog }], labelWidth);
}
