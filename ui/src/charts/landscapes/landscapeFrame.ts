// SPDX-License-Identifier: Apache-2.0
import { partOfRange } from "../../core/landscapes/planeWindow";
import type { Range } from "../../core/scales/axis";
import { labelWidth } from "../frame/labelWidth";
import { plotFrame, type PlotFrame, type Size } from "../frame/plotFrame";
import { planeRanges, type DrawnLandscape, type LandscapeLook } from "./drawnLandscape";

const ROOM = 0.05;

/** The frame of landscapes from above: both directions of the plane. */
export function planeFrame(all: readonly DrawnLandscape[], { axes, window }: LandscapeLook, size: Size): PlotFrame {
  const { x, y } = planeRanges(all);
  const [across, up] = axes;
  return plotFrame(
    size,
    { x: partOfRange(x, window.x), ys: [partOfRange(y, window.y)] },
    { axis: "value", isLog: false, title: across },
    [{ title: up, color: null, isLog: false }],
    labelWidth,
  );
}

/** The frame of lines: one direction, and the loss. */
export function lineFrame(all: readonly DrawnLandscape[], { axes, lossName, window }: LandscapeLook, size: Size): PlotFrame {
  const isLog = all[0]?.scale.isLog ?? false;
  const [low, high] = [Math.min(...all.map(({ scale }) => scale.low)), Math.max(...all.map(({ scale }) => scale.high))];
  const room = high > low ? ROOM * (high - low) : 0.5;
  const [bottom, top] = isLog ? [low / 1.1, high * 1.1] : [low - room, high + room];
  const losses = isLog ? logPart([bottom, top], window.y) : partOfRange([bottom, top], window.y);
  const x = partOfRange(planeRanges(all).x, window.x);
  const axis = { axis: "value" as const, isLog: false, title: axes[0] };
  return plotFrame(size, { x, ys: [losses] }, axis, [{ title: lossName, color: null, isLog }], labelWidth);
}

function logPart([low, high]: Range, share: Range): Range {
  const [from, to] = partOfRange([Math.log(low), Math.log(high)], share);
  return [Math.exp(from), Math.exp(to)];
}
