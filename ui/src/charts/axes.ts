// SPDX-License-Identifier: Apache-2.0
import type uPlot from "uplot";

import type { Axis, Range } from "../core/axis";
import { formatLogTick, formatTicks } from "../core/format";
import { durationTicks, linearTicks, logTicks, stepTicks, wallTicks } from "../core/ticks";
import { formatDuration, formatDurationTicks, formatWallTicks, localOffsetSeconds } from "../core/time";

export const TICK_FONT = '11px "Inter Variable", system-ui, sans-serif';
/** Pixels for a label: times are longer than steps. */
const X_SPACE: Record<PlaceAxis, number> = { step: 54, relative: 64, wall: 76, value: 60 };
const MIN_Y_SIZE = 48;
const HALF_LETTER = 3.1;
export const RIGHT_PADDING = 16;

/** What stands on the horizontal axis: an axis of the server, or the values of another tag. */
export type PlaceAxis = Axis | "value";

export interface Across {
  axis: PlaceAxis;
  isLog: boolean;
}

/** One vertical axis. Its title is shown where there are several. */
export interface Upright {
  title: string;
  /** A CSS colour; null for that of all text. */
  colour: string | null;
  isLog: boolean;
}

/** uPlot's name of a vertical axis. */
export function scaleName(index: number): string {
  return index === 0 ? "y" : `y${index}`;
}

/** Tick positions of the horizontal axis for a width in CSS pixels. */
export function xTicks({ axis, isLog }: Across, range: Range, width: number): number[] {
  const count = Math.max(2, Math.floor(width / X_SPACE[axis]));
  if (isLog) return logTicks(range, count);
  if (axis === "step") return stepTicks(range, count);
  if (axis === "value") return linearTicks(range, count);
  return axis === "relative" ? durationTicks(range, count) : wallTicks(range, count, localOffsetSeconds(range[0]));
}

export function xLabels({ axis, isLog }: Across, ticks: readonly number[]): string[] {
  if (axis === "relative") return isLog ? ticks.map(formatDuration) : formatDurationTicks(ticks);
  if (axis === "wall") return formatWallTicks(ticks);
  return isLog ? ticks.map((tick) => formatTicks([tick])[0]!) : formatTicks(ticks);
}

export function yTicks(isLog: boolean, range: Range, height: number): number[] {
  const count = Math.max(2, Math.min(Math.floor(height / 26), 4 + Math.floor(height / 80)));
  return isLog ? logTicks(range, count) : linearTicks(range, count);
}

export function yLabels(isLog: boolean, ticks: readonly number[]): string[] {
  return isLog ? ticks.map(formatLogTick) : formatTicks(ticks);
}

/** All axes in uPlot's terms; colours are asked for at every drawing because the theme may change. */
export function plotAxes(across: Across, uprights: readonly Upright[], ink: (token: string) => string): uPlot.Axis[] {
  const look = {
    stroke: () => ink("var(--ink-soft)"),
    grid: { stroke: () => ink("var(--grid-line)"), width: 1 },
    ticks: { show: false },
    border: { show: true, stroke: () => ink("var(--hairline)"), width: 1 },
    font: TICK_FONT,
    filter: (_: uPlot, splits: number[]) => splits,
  };
  const bottom: uPlot.Axis = {
    ...look,
    scale: "x",
    size: 22,
    gap: 4,
    splits: (plot, _, low, high) => xTicks(across, [low, high], plot.bbox.width / devicePixelRatio),
    values: (plot, splits) => withoutCutOff(plot, splits, xLabels(across, splits)),
  };
  return [bottom, ...uprights.map((upright, index) => ({ ...look, ...uprightAxis(upright, index, uprights.length, look.grid), stroke: () => ink(upright.colour ?? "var(--ink-soft)") }))];
}

/** The first stands on the left, the second on the right, and so on in turn; only the first has a grid. */
function uprightAxis({ title, isLog }: Upright, index: number, count: number, grid: uPlot.Axis.Grid): uPlot.Axis {
  return {
    scale: scaleName(index),
    side: index % 2 === 0 ? 3 : 1,
    gap: 6,
    grid: index === 0 ? grid : { show: false },
    border: { show: false },
    ...(count > 1 ? { label: title, labelSize: 16, labelGap: 0, labelFont: TICK_FONT } : {}),
    splits: (plot, _, low, high) => yTicks(isLog, [low, high], plot.bbox.height / devicePixelRatio),
    values: (_, splits) => yLabels(isLog, splits),
    size: (plot, values) => labelWidth(plot, values),
  };
}

/** A label that would reach beyond the right edge is left out rather than cut. */
function withoutCutOff(plot: uPlot, splits: readonly number[], labels: readonly string[]): string[] {
  return labels.map((label, index) => {
    const room = plot.over.clientWidth - plot.valToPos(splits[index]!, "x") + RIGHT_PADDING;
    return room < label.length * HALF_LETTER ? "" : label;
  });
}

function labelWidth(plot: uPlot, values: string[] | null): number {
  if (!values || values.length === 0) return MIN_Y_SIZE;
  plot.ctx.save();
  plot.ctx.font = TICK_FONT;
  const width = Math.max(...values.map((value) => plot.ctx.measureText(value).width));
  plot.ctx.restore();
  return Math.max(MIN_Y_SIZE, Math.ceil(width) + 14);
}
