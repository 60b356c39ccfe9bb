// SPDX-License-Identifier: Apache-2.0
import type { Curve } from "../../core/series/curve";
import { TICK_FONT } from "../frame/axes";
import { edgeMarks, type EdgeMark } from "../frame/edgeMarks";
import { segment, type Surface } from "../frame/surface";
import type { Painting } from "./painting";

/** A horizontal line across the chart, on the first vertical axis. */
export interface Guide {
  value: number;
  label: string;
}

const LETTERS = 11;

export function paintGuide({ surface, frame: { area, projections }, ink }: Painting, { value, label }: Guide): void {
  const { left, top, width, height } = area;
  const y = Math.round(projections[0]!.y(value));
  if (!(y >= top && y <= top + height)) return;
  surface.save();
  surface.strokeStyle = surface.fillStyle = ink("var(--warn)");
  surface.lineWidth = 1;
  surface.setLineDash([4, 3]);
  surface.beginPath();
  segment(surface, left, y, left + width, y);
  surface.stroke();
  surface.font = TICK_FONT;
  surface.textAlign = "right";
  const isRoomAbove = y - top > LETTERS + 4;
  const [x, base] = [left + width - 4, isRoomAbove ? y - 4 : y + LETTERS + 2];
  surface.setLineDash([]);
  surface.lineWidth = 4;
  surface.strokeStyle = ink("var(--paper)");
  surface.strokeText(label, x, base);
  surface.fillText(label, x, base);
  surface.restore();
}

/** What has no place in the chart, on its edges: filled shapes in one path, the others in one. */
export function paintMarks(painting: Painting, curve: Curve): void {
  const { surface, frame, ink } = painting;
  const marks = edgeMarks(curve, frame, painting);
  if (marks.length === 0) return;
  surface.save();
  surface.strokeStyle = surface.fillStyle = ink(curve.color);
  surface.lineWidth = 1.5;
  surface.beginPath();
  for (const mark of marks) if (mark.isFilled) traceMark(surface, mark);
  surface.fill();
  surface.beginPath();
  for (const mark of marks) if (!mark.isFilled) traceMark(surface, mark);
  surface.stroke();
  surface.restore();
}

function traceMark(surface: Surface, { lines, isClosed }: EdgeMark): void {
  for (const [first, ...rest] of lines) {
    surface.moveTo(first!.x, first!.y);
    for (const { x, y } of rest) surface.lineTo(x, y);
    if (isClosed) surface.closePath();
  }
}
