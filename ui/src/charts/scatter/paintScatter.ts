// SPDX-License-Identifier: Apache-2.0
import { fittedEnd, fittedStart } from "../../core/lineage/axisLayout";
import type { AxisScale } from "../../core/lineage/axisScale";
import { NO_COLOR, type LineColors } from "../../core/lineage/lineColors";
import { marginCounts, type MarginCounts, type ScatterPoints } from "../../core/lineage/scatterPoints";
import type { Rgb } from "../../core/scales/colorMap";
import { TICK_FONT } from "../frame/axes";
import { GROUP_COLORS } from "../frame/groupColors";
import { lineColor } from "../frame/lineColor";
import { crisp, segment, type Ink, type Surface } from "../frame/surface";
import { MARGIN, MARGIN_GAP, xOf, yOf, type ScatterFrame } from "./scatterFrame";

export interface ScatterPainting {
  surface: Surface;
  ink: Ink;
  ratio: number;
  frame: ScatterFrame;
  x: AxisScale;
  y: AxisScale;
  rows: ArrayLike<number>;
  /** For each drawn row 1 if it is selected. */
  passing: Uint8Array;
}

const TITLE_FONT = `600 ${TICK_FONT}`;
export const GRAY_OPACITY = 0.22;

/** Opacity of one of many points, so that dense places show their density. */
export function pointOpacity(count: number): number {
  return Math.max(0.4, Math.min(0.75, 3 / Math.max(1, count) ** 0.2));
}

/** Grid, labels, names and the histograms of both axes; everything but the points. */
export function paintScatterAxes(painting: ScatterPainting): void {
  const { surface } = painting;
  surface.save();
  surface.lineWidth = 1;
  surface.font = TICK_FONT;
  paintGrid(painting);
  paintLabels(painting);
  paintTitle(painting, painting.y, 0, 10);
  paintTitle(painting, painting.x, null, painting.frame.size.height - 10);
  paintMargins(painting);
  surface.restore();
}

function paintGrid({ surface, ink, ratio, frame }: ScatterPainting): void {
  const { left, top, width, height } = frame.area;
  surface.beginPath();
  for (const { share } of frame.xTicks)
    segment(surface, crisp(xOf(frame, share), ratio), top, crisp(xOf(frame, share), ratio), top + height);
  for (const { share } of frame.yTicks)
    segment(surface, left, crisp(yOf(frame, share), ratio), left + width, crisp(yOf(frame, share), ratio));
  surface.strokeStyle = ink("var(--grid-line)");
  surface.stroke();
  surface.beginPath();
  segment(surface, crisp(left, ratio), top, crisp(left, ratio), top + height);
  segment(surface, left, crisp(top + height, ratio), left + width, crisp(top + height, ratio));
  surface.strokeStyle = ink("var(--outline)");
  surface.stroke();
}

function paintLabels({ surface, ink, frame, x }: ScatterPainting): void {
  const measure = (text: string): number => surface.measureText(text).width;
  const { left, top, width, height } = frame.area;
  surface.fillStyle = ink("var(--ink-soft)");
  surface.textAlign = "right";
  surface.textBaseline = "middle";
  for (const { share, label } of frame.yTicks)
    surface.fillText(fittedStart(label, frame.labelWidth, measure), left - 6, Math.round(yOf(frame, share)));
  surface.textAlign = "center";
  surface.textBaseline = "top";
  const room = x.kind === "category" ? width / Math.max(1, frame.xTicks.length) - 6 : width;
  for (const { share, label } of frame.xTicks)
    surface.fillText(fittedStart(label, room, measure), Math.round(xOf(frame, share)), top + height + 5);
}

/** The name of a column with the dot of its group: from a place, or in the middle below the area. */
function paintTitle({ surface, ink, frame: { area, size } }: ScatterPainting, { column }: AxisScale, from: number | null, y: number): void {
  surface.font = TITLE_FONT;
  const name = fittedEnd(column.name, size.width - 24, (text) => surface.measureText(text).width);
  const left = from ?? Math.max(0, area.left + area.width / 2 - surface.measureText(name).width / 2 - 6);
  surface.fillStyle = ink(GROUP_COLORS[column.group]);
  surface.beginPath();
  surface.arc(left + 4, y, 3, 0, 2 * Math.PI);
  surface.fill();
  surface.fillStyle = ink("var(--ink)");
  surface.textAlign = "left";
  surface.textBaseline = "middle";
  surface.fillText(name, left + 12, y);
  surface.font = TICK_FONT;
}

function paintMargins({ surface, ink, frame: { area }, x, y, rows, passing }: ScatterPainting): void {
  const [above, beside] = [marginCounts(x, rows, passing), marginCounts(y, rows, passing)];
  const [base, edge] = [area.top - MARGIN_GAP, area.left + area.width + MARGIN_GAP];
  for (const [part, color, opacity] of [
    ["all", "var(--ink-soft)", 0.28],
    ["passing", "var(--accent)", 0.65],
  ] as const) {
    surface.fillStyle = ink(color);
    surface.globalAlpha = opacity;
    for (const { from, width, depth } of bars(above, part, area.width)) surface.fillRect(area.left + from, base - depth, width, depth);
    for (const { from, width, depth } of bars(beside, part, area.height))
      surface.fillRect(edge, area.top + area.height - from - width, depth, width);
  }
  surface.globalAlpha = 1;
}

/** Bars along an axis, at least a pixel deep. */
function bars(counts: MarginCounts, part: keyof MarginCounts, length: number): { from: number; width: number; depth: number }[] {
  const most = counts.all.reduce((one, other) => Math.max(one, other), 1);
  const step = length / counts.all.length;
  return Array.from(counts[part], (count, bin) => ({
    from: bin * step + 0.5,
    width: Math.max(1, step - 1),
    depth: count === 0 ? 0 : Math.max(1, (count / most) * MARGIN),
  })).filter(({ depth }) => depth > 0);
}

interface PointsPainting extends ScatterPainting {
  points: ScatterPoints;
  radii: Float32Array;
  colors: LineColors;
  stops: readonly Rgb[];
}

/** Points as circles, for files; selected ones over the others. */
export function paintPoints({ surface, ink, frame, points, radii, colors, stops, passing }: PointsPainting): void {
  surface.save();
  for (const isFront of [false, true]) {
    surface.globalAlpha = isFront ? pointOpacity(points.lines.length) : GRAY_OPACITY;
    points.lines.forEach((line, index) => {
      if ((passing[line] === 1) !== isFront) return;
      surface.fillStyle = isFront ? lineColor(colors, line, stops, ink) : ink(NO_COLOR);
      surface.beginPath();
      surface.arc(xOf(frame, points.x[index]!), yOf(frame, points.y[index]!), radii[line]!, 0, 2 * Math.PI);
      surface.fill();
    });
  }
  surface.restore();
}
