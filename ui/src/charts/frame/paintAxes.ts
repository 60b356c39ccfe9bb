// SPDX-License-Identifier: Apache-2.0
import { TICK_FONT } from "./axes";
import type { PlotFrame, YAxisFrame } from "./plotFrame";
import { crisp, segment, type Ink, type Surface } from "./surface";

const GAP = 6;
const BOTTOM_GAP = 5;
/** From the area to the title below it. */
const TITLE_BELOW = 22;
/** From the outer edge of an axis to the middle of its title. */
const TITLE_MIDDLE = 12;

interface AxesPainting {
  surface: Surface;
  ratio: number;
  frame: PlotFrame;
  ink: Ink;
  /** Lines at the ticks of the horizontal axis; true if left out. */
  hasColumns?: boolean;
}

/** Draws grid, axis line and labels of a chart. */
export function paintAxes(painting: AxesPainting): void {
  const { surface, frame } = painting;
  surface.save();
  surface.lineWidth = 1;
  paintGrid(painting);
  surface.font = TICK_FONT;
  paintBottom(painting);
  frame.yAxes.forEach((_, index) => paintYAxis(painting, index));
  surface.restore();
}

function paintGrid({ surface, ratio, frame: { area, bottom, yAxes, projections }, ink, hasColumns = true }: AxesPainting): void {
  const [right, base] = [area.left + area.width, area.top + area.height];
  const x = (tick: number): number => crisp(projections[0]!.x(tick), ratio);
  const y = (tick: number): number => crisp(projections[0]!.y(tick), ratio);
  surface.beginPath();
  if (hasColumns) for (const tick of bottom.ticks) segment(surface, x(tick), area.top, x(tick), base);
  for (const tick of yAxes[0]!.ticks) segment(surface, area.left, y(tick), right, y(tick));
  surface.strokeStyle = ink("var(--grid-line)");
  surface.stroke();
  surface.beginPath();
  segment(surface, area.left, crisp(base, ratio), right, crisp(base, ratio));
  surface.strokeStyle = ink("var(--hairline)");
  surface.stroke();
}

function paintBottom({ surface, frame: { area, bottom, projections }, ink }: AxesPainting): void {
  const base = area.top + area.height;
  surface.fillStyle = ink("var(--ink-soft)");
  surface.textAlign = "center";
  surface.textBaseline = "top";
  bottom.labels.forEach((label, index) => {
    if (label !== "") surface.fillText(label, Math.round(projections[0]!.x(bottom.ticks[index]!)), base + BOTTOM_GAP);
  });
  if (bottom.title !== "") surface.fillText(bottom.title, area.left + area.width / 2, base + TITLE_BELOW);
}

function paintYAxis({ surface, frame: { area, yAxes, projections }, ink }: AxesPainting, index: number): void {
  const yAxis = yAxes[index]!;
  const edge = edgeOf(yAxis, area.left, area.left + area.width);
  surface.fillStyle = ink(yAxis.color ?? "var(--ink-soft)");
  surface.textAlign = yAxis.isRight ? "left" : "right";
  surface.textBaseline = "middle";
  const x = edge + (yAxis.isRight ? GAP : -GAP);
  yAxis.labels.forEach((label, row) => surface.fillText(label, x, Math.round(projections[index]!.y(yAxis.ticks[row]!))));
  if (yAxis.title === "") return;
  surface.save();
  surface.translate(edge + (yAxis.isRight ? yAxis.width - TITLE_MIDDLE : TITLE_MIDDLE - yAxis.width), area.top + area.height / 2);
  surface.rotate(yAxis.isRight ? Math.PI / 2 : -Math.PI / 2);
  surface.textAlign = "center";
  surface.fillText(yAxis.title, 0, 0);
  surface.restore();
}

/** Where an axis begins: beside the area, or beside the axis before it on the same side. */
function edgeOf({ isRight, offset }: YAxisFrame, left: number, right: number): number {
  return isRight ? right + offset : left - offset;
}
