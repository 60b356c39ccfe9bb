// SPDX-License-Identifier: Apache-2.0
import { TICK_FONT } from "./axes";
import type { PlotFrame, YAxisFrame } from "./plotFrame";

const GAP = 6;
const BOTTOM_GAP = 5;
/** From the outer edge of an axis to the middle of its title. */
const TITLE_MIDDLE = 12;

type Ink = (color: string) => string;

/** Draws grid, axis line and labels of a chart. */
export function paintAxes(ctx: CanvasRenderingContext2D, frame: PlotFrame, ink: Ink): void {
  ctx.save();
  ctx.lineWidth = 1;
  paintGrid(ctx, frame, ink);
  ctx.font = TICK_FONT;
  paintBottom(ctx, frame, ink);
  frame.yAxes.forEach((_, index) => paintYAxis(ctx, frame, index, ink));
  ctx.restore();
}

function paintGrid(ctx: CanvasRenderingContext2D, { area, bottom, yAxes, projections }: PlotFrame, ink: Ink): void {
  const [right, base] = [area.left + area.width, area.top + area.height];
  const { x, y } = projections[0]!;
  ctx.beginPath();
  for (const tick of bottom.ticks) segment(ctx, crisp(x(tick)), area.top, crisp(x(tick)), base);
  for (const tick of yAxes[0]!.ticks) segment(ctx, area.left, crisp(y(tick)), right, crisp(y(tick)));
  ctx.strokeStyle = ink("var(--grid-line)");
  ctx.stroke();
  ctx.beginPath();
  segment(ctx, area.left, crisp(base), right, crisp(base));
  ctx.strokeStyle = ink("var(--hairline)");
  ctx.stroke();
}

function paintBottom(ctx: CanvasRenderingContext2D, { area, bottom, projections }: PlotFrame, ink: Ink): void {
  ctx.fillStyle = ink("var(--ink-soft)");
  ctx.textAlign = "center";
  ctx.textBaseline = "top";
  bottom.labels.forEach((label, index) => {
    if (label !== "") ctx.fillText(label, Math.round(projections[0]!.x(bottom.ticks[index]!)), area.top + area.height + BOTTOM_GAP);
  });
}

function paintYAxis(ctx: CanvasRenderingContext2D, { area, yAxes, projections }: PlotFrame, index: number, ink: Ink): void {
  const upright = yAxes[index]!;
  const edge = edgeOf(upright, area.left, area.left + area.width);
  ctx.fillStyle = ink(upright.color ?? "var(--ink-soft)");
  ctx.textAlign = upright.isRight ? "left" : "right";
  ctx.textBaseline = "middle";
  const x = edge + (upright.isRight ? GAP : -GAP);
  upright.labels.forEach((label, row) => ctx.fillText(label, x, Math.round(projections[index]!.y(upright.ticks[row]!))));
  if (upright.title === "") return;
  ctx.save();
  ctx.translate(edge + (upright.isRight ? upright.width - TITLE_MIDDLE : TITLE_MIDDLE - upright.width), area.top + area.height / 2);
  ctx.rotate(upright.isRight ? Math.PI / 2 : -Math.PI / 2);
  ctx.textAlign = "center";
  ctx.fillText(upright.title, 0, 0);
  ctx.restore();
}

/** Where an axis begins: beside the area, or beside the axis before it on the same side. */
function edgeOf({ isRight, offset }: YAxisFrame, left: number, right: number): number {
  return isRight ? right + offset : left - offset;
}

function segment(ctx: CanvasRenderingContext2D, fromX: number, fromY: number, toX: number, toY: number): void {
  ctx.moveTo(fromX, fromY);
  ctx.lineTo(toX, toY);
}

/** Aligns a line of one pixel with the device pixels. */
function crisp(place: number): number {
  const ratio = devicePixelRatio;
  return (Math.round(place * ratio) + (Math.round(ratio) % 2) / 2) / ratio;
}
