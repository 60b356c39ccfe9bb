// SPDX-License-Identifier: Apache-2.0
import type { Projection } from "../../core/series/curvePath";
import type { Ranges } from "../../core/series/curve";
import type { Range } from "../../core/scales/axis";
import type { Area } from "../../core/series/histogramLayout";
import { xLabels, xTicks, yLabels, yTicks, type XAxis, type YAxis } from "./axes";

export interface Size {
  width: number;
  height: number;
}

/** Ticks of an axis: their values and labels. */
export interface AxisTicks {
  ticks: readonly number[];
  labels: readonly string[];
}

export interface YAxisFrame extends AxisTicks {
  /** Empty where the chart has one vertical axis and none of its axes is titled. */
  title: string;
  /** A CSS color; null for that of all text. */
  color: string | null;
  isRight: boolean;
  /** Distance of its labels' edge from the area, and how much room it takes. */
  offset: number;
  width: number;
}

/** Everything about a chart but its curves; all lengths in CSS pixels. */
export interface PlotFrame {
  size: Size;
  /** Where curves are drawn. */
  area: Area;
  ranges: Ranges;
  /** Room for the names of lines, right of the area; 0 for none. */
  beside: number;
  bottom: AxisTicks & { title: string };
  yAxes: readonly YAxisFrame[];
  /** Values to places in the chart, one for each vertical axis; x is the same in all of them. */
  projections: readonly Projection[];
  /** Places along the horizontal axis back to values, and places along the first vertical axis. */
  xAt: (left: number) => number;
  yAt: (top: number) => number;
}

/** Values to places for a curve on its vertical axis. */
export function projectionOf({ projections }: PlotFrame, { scale }: { scale: number }): Projection {
  return projections[scale] ?? projections[0]!;
}

const TOP = 8;
const BOTTOM = 22;
const RIGHT = 16;
const UPRIGHT_MIN = 48;
const UPRIGHT_PADDING = 14;
const TITLE = 20;
const HALF_LETTER = 3.1;
const NO_TICKS: AxisTicks = { ticks: [], labels: [] };

/** Computes the layout of a chart. `measure` returns the width of a label, `beside` is the room for line names on the right. Y-axes alternate left and right. */
export function plotFrame(
  size: Size,
  ranges: Ranges,
  across: XAxis,
  yAxes: readonly YAxis[],
  measure: (label: string) => number,
  beside = 0,
): PlotFrame {
  const { title = "" } = across;
  const isTitled = yAxes.length > 1 || title !== "" || yAxes.some((yAxis) => yAxis.isTitled);
  const height = Math.max(1, size.height - TOP - BOTTOM - (title === "" ? 0 : TITLE));
  const room = { left: 0, right: yAxes.length > 1 ? 0 : Math.max(RIGHT, beside) };
  const placed = yAxes.map((yAxis, index): YAxisFrame => {
    const isRight = index % 2 === 1;
    const axisTicks = ranges.bare?.[index] ? NO_TICKS : yTicksOf(yAxis, ranges.ys[index] ?? ranges.ys[0]!, height);
    const width = widthOf(axisTicks, measure) + (isTitled ? TITLE : 0);
    const offset = isRight ? room.right : room.left;
    if (isRight) room.right += width;
    else room.left += width;
    return { ...axisTicks, title: isTitled ? yAxis.title : "", color: yAxis.color, isRight, offset, width };
  });
  const area = { left: room.left, top: TOP, width: Math.max(1, size.width - room.left - room.right), height };
  const x = along(ranges.x, area.left, area.left + area.width, across.isLog);
  const ys = yAxes.map((yAxis, index) => along(ranges.ys[index] ?? ranges.ys[0]!, TOP + height, TOP, yAxis.isLog));
  return {
    size,
    area,
    ranges,
    beside: yAxes.length > 1 ? 0 : beside,
    bottom: { ...xTicksOf(across, ranges.x, area, x.place), title },
    yAxes: placed,
    projections: ys.map((y) => ({ x: x.place, y: y.place })),
    xAt: x.value,
    yAt: ys[0]!.value,
  };
}

/** The size, within another, at which the plotting area is a square. */
export function squareSize({ size: { width, height }, area }: PlotFrame): Size {
  const side = Math.min(area.width, area.height);
  return { width: width - area.width + side, height: height - area.height + side };
}

function yTicksOf({ isLog }: YAxis, range: Range, height: number): AxisTicks {
  const ticks = yTicks(isLog, range, height);
  return { ticks, labels: yLabels(isLog, ticks) };
}

function widthOf({ labels }: AxisTicks, measure: (label: string) => number): number {
  return Math.max(UPRIGHT_MIN, ...labels.map((label) => Math.ceil(measure(label)) + UPRIGHT_PADDING));
}

/** A label that would reach beyond the right edge is left out rather than cut. */
function xTicksOf(across: XAxis, range: Range, area: Area, place: (value: number) => number): AxisTicks {
  const ticks = xTicks(across, range, area.width);
  const end = area.left + area.width + RIGHT;
  const labels = xLabels(across, ticks).map((label, index) => (end - place(ticks[index]!) < label.length * HALF_LETTER ? "" : label));
  return { ticks, labels };
}

interface Line {
  place: (value: number) => number;
  value: (place: number) => number;
}

/** An axis from one place to another. */
export function along([low, high]: Range, from: number, to: number, isLog: boolean): Line {
  if (!isLog) {
    const factor = (to - from) / (high - low);
    return { place: (value) => from + (value - low) * factor, value: (place) => low + (place - from) / factor };
  }
  const straight = along([Math.log10(low), Math.log10(high)], from, to, false);
  return { place: (value) => straight.place(Math.log10(value)), value: (place) => 10 ** straight.value(place) };
}
