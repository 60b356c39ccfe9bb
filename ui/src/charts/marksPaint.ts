// SPDX-License-Identifier: Apache-2.0
import type { Curve } from "../core/curve";
import { isAtTop, missingMarks, thinMarks, type MissingKind } from "../core/missing";
import { TICK_FONT } from "./axes";
import type { Painting } from "./painting";

/** A horizontal line across the chart, on the first vertical axis. */
export interface Guide {
  value: number;
  label: string;
}

const MARK = 3.5;
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

/** What has no height in the chart, on a rail at its edge. */
export function paintMarks({ ctx, frame, isLog, marksFar, ink }: Painting, curve: Curve): void {
  const { left, top, width, height } = frame.area;
  const shown = frame.ranges.ys[curve.scale] ?? frame.ranges.ys[0]!;
  const marks = thinMarks(missingMarks(curve.x, curve.raw, isLog, marksFar ? shown : null), frame.projections[curve.scale]!.x);
  if (marks.length === 0) return;
  ctx.save();
  ctx.strokeStyle = ctx.fillStyle = ink(curve.colour);
  ctx.lineWidth = 1.5;
  for (const { pixel, kind } of marks) {
    if (pixel >= left && pixel <= left + width) paintMark(ctx, kind, pixel, isAtTop(kind) ? top : top + height);
  }
  ctx.restore();
}

/** NaN is a cross, an infinity a filled triangle that points where it went, a finite value without a place a hollow one. */
function paintMark(ctx: CanvasRenderingContext2D, kind: MissingKind, x: number, y: number): void {
  ctx.beginPath();
  if (kind === "nan") {
    ctx.moveTo(x - MARK, y - MARK);
    ctx.lineTo(x + MARK, y + MARK);
    ctx.moveTo(x - MARK, y + MARK);
    ctx.lineTo(x + MARK, y - MARK);
    ctx.stroke();
    return;
  }
  const tip = isAtTop(kind) ? -MARK : MARK;
  ctx.moveTo(x, y + tip);
  ctx.lineTo(x - MARK, y - tip);
  ctx.lineTo(x + MARK, y - tip);
  ctx.closePath();
  if (kind === "positive_infinity" || kind === "negative_infinity") ctx.fill();
  else ctx.stroke();
}
