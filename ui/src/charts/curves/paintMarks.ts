// SPDX-License-Identifier: Apache-2.0
import type { Curve } from "../../core/series/curve";
import { TICK_FONT } from "../frame/axes";
import { edgeMarks } from "../frame/edgeMarks";
import type { Painting } from "./painting";

/** A horizontal line across the chart, on the first vertical axis. */
export interface Guide {
  value: number;
  label: string;
}

const LETTERS = 11;

export function paintGuide({ ctx, frame: { area, projections }, ink }: Painting, { value, label }: Guide): void {
  const { left, top, width, height } = area;
  const y = Math.round(projections[0]!.y(value));
  if (!(y >= top && y <= top + height)) return;
  ctx.save();
  ctx.strokeStyle = ctx.fillStyle = ink("var(--warn)");
  ctx.lineWidth = 1;
  ctx.setLineDash([4, 3]);
  ctx.beginPath();
  ctx.moveTo(left, y);
  ctx.lineTo(left + width, y);
  ctx.stroke();
  ctx.font = TICK_FONT;
  ctx.textAlign = "right";
  const isRoomAbove = y - top > LETTERS + 4;
  const [x, base] = [left + width - 4, isRoomAbove ? y - 4 : y + LETTERS + 2];
  ctx.setLineDash([]);
  ctx.lineWidth = 4;
  ctx.strokeStyle = ink("var(--paper)");
  ctx.strokeText(label, x, base);
  ctx.fillText(label, x, base);
  ctx.restore();
}

/** What has no place in the chart, on its edges. */
export function paintMarks(painting: Painting, curve: Curve): void {
  const { ctx, frame, ink } = painting;
  const marks = edgeMarks(curve, frame, painting);
  if (marks.length === 0) return;
  ctx.save();
  ctx.strokeStyle = ctx.fillStyle = ink(curve.color);
  ctx.lineWidth = 1.5;
  for (const { path, isFilled } of marks) {
    if (isFilled) ctx.fill(new Path2D(path));
    else ctx.stroke(new Path2D(path));
  }
  ctx.restore();
}
