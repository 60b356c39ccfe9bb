// SPDX-License-Identifier: Apache-2.0
import type { FigureCurve } from "../../core/debugger/figureCurve";
import { linearTicks, stepTicks } from "../../core/scales/ticks";
import { formatTicks, formatValue, groupDigits } from "../../core/text/format";
import { TICK_FONT } from "../frame/axes";
import type { Size } from "../frame/plotFrame";
import { segment, type Ink, type Surface } from "../frame/surface";

export const FIGURE_MARGIN = { left: 56, top: 14, right: 10, bottom: 20 } as const;
const [TICK_WIDTH, TICK_HEIGHT, FAULT_OPACITY, INFINITY_ROOM] = [70, 34, 0.35, 12];

export interface DrawnFigure {
  curve: FigureCurve;
  /** Steps at the ends of the axis. */
  steps: readonly [first: number, last: number];
  /** A dashed line; null without one. */
  limit: number | null;
}

/** The room between the margins. */
export function figureRoom({ width, height }: Size): Size {
  const { left, top, right, bottom } = FIGURE_MARGIN;
  return { width: Math.max(1, width - left - right), height: Math.max(1, height - top - bottom) };
}

/** A figure over steps: axes, faults, the largest number of a dtype, the line. */
export function paintFigureCurve(surface: Surface, size: Size, ink: Ink, { curve, steps, limit }: DrawnFigure): void {
  const { width, height } = figureRoom(size);
  const y = (value: number): number => (curve.range ? height - ((value - curve.range[0]) / (curve.range[1] - curve.range[0])) * height : 0);
  surface.save();
  surface.translate(FIGURE_MARGIN.left, FIGURE_MARGIN.top);
  surface.font = TICK_FONT;
  surface.lineWidth = 1;
  paintAxes(surface, { width, height }, ink, curve, steps, y);
  if (limit !== null && curve.range && limit <= curve.range[1] && limit >= curve.range[0]) {
    surface.setLineDash([4, 3]);
    line(surface, ink("var(--warn)"), 0, y(limit), width, y(limit));
    surface.setLineDash([]);
  }
  for (const x of curve.faults) paintFault(surface, x, height, ink("var(--bad)"));
  surface.lineWidth = 1.5;
  surface.lineJoin = "round";
  surface.strokeStyle = surface.fillStyle = ink("var(--series-0)");
  for (const part of curve.parts) paintPart(surface, part);
  surface.restore();
}

function paintAxes(
  surface: Surface,
  { width, height }: Size,
  ink: Ink,
  { range, isInfinite }: FigureCurve,
  [first, last]: DrawnFigure["steps"],
  y: (value: number) => number,
): void {
  const ticks = range ? linearTicks(range, Math.max(2, Math.floor(height / TICK_HEIGHT))) : [];
  const upright = isInfinite ? ticks.filter((tick) => y(tick) > INFINITY_ROOM) : ticks;
  const labels = formatTicks(upright);
  surface.fillStyle = ink("var(--ink-soft)");
  surface.textAlign = "right";
  surface.textBaseline = "middle";
  upright.forEach((tick, index) => {
    line(surface, ink("var(--grid-line)"), 0, y(tick), width, y(tick));
    surface.fillText(labels[index]!, -8, y(tick));
  });
  if (isInfinite) surface.fillText(formatValue(Infinity), -8, 0);
  surface.textAlign = "center";
  surface.textBaseline = "alphabetic";
  for (const tick of stepTicks([first, last], Math.max(2, Math.floor(width / TICK_WIDTH))))
    surface.fillText(groupDigits(tick), ((tick - first) / (last - first)) * width, height + 13);
  line(surface, ink("var(--hairline)"), 0, height, width, height);
}

function paintFault(surface: Surface, x: number, height: number, color: string): void {
  surface.globalAlpha = FAULT_OPACITY;
  line(surface, color, x, 0, x, height);
  surface.globalAlpha = 1;
  surface.fillStyle = color;
  surface.beginPath();
  surface.moveTo(x - 4, -9);
  surface.lineTo(x + 4, -9);
  surface.lineTo(x, -2);
  surface.closePath();
  surface.fill();
}

function paintPart(surface: Surface, part: FigureCurve["parts"][number]): void {
  surface.beginPath();
  if (part.length === 1) {
    surface.arc(part[0]![0], part[0]![1], 2, 0, 2 * Math.PI);
    surface.fill();
    return;
  }
  part.forEach(([x, y], index) => (index === 0 ? surface.moveTo(x, y) : surface.lineTo(x, y)));
  surface.stroke();
}

function line(surface: Surface, color: string, fromX: number, fromY: number, toX: number, toY: number): void {
  surface.strokeStyle = color;
  surface.beginPath();
  segment(surface, fromX, fromY, toX, toY);
  surface.stroke();
}
