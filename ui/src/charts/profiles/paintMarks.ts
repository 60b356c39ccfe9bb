// SPDX-License-Identifier: Apache-2.0
import type { FoundMark } from "../../core/profiles/timeline";
import type { TimeRange } from "../../core/profiles/timeRange";
import type { SliceLabels } from "./sliceLabels";
import { xOf, type TimelineColors } from "./timelinePicture";

export const MARKS_HEIGHT = 16;
/** Lines of marks that are nearer would hide everything. */
const MARK_PITCH = 12;
const [FLAG, LABEL_LEFT, GAP] = [3.5, 8, 6];

/** Names after their flags, as far as the next flag leaves room. */
export function paintMarks(
  ctx: CanvasRenderingContext2D,
  width: number,
  range: TimeRange,
  marks: readonly FoundMark[],
  colors: TimelineColors,
  labels: SliceLabels,
): void {
  const middle = MARKS_HEIGHT / 2;
  ctx.textBaseline = "middle";
  marks.forEach((mark, place) => {
    const x = xOf(range, mark.time, width);
    const next = marks[place + 1];
    const end = next ? Math.min(width, xOf(range, next.time, width) - FLAG) : width;
    if (end < 0 || x > width + FLAG) return;
    ctx.fillStyle = colors.accent;
    ctx.beginPath();
    ctx.moveTo(x, middle - FLAG);
    ctx.lineTo(x + FLAG, middle);
    ctx.lineTo(x, middle + FLAG);
    ctx.lineTo(x - FLAG, middle);
    ctx.fill();
    const text = labels.fit(ctx, mark.count > 1 ? `${mark.name} +${mark.count - 1}` : mark.name, end - x - LABEL_LEFT - GAP);
    ctx.fillStyle = colors.soft;
    if (text !== "") ctx.fillText(text, x + LABEL_LEFT, middle + 0.5);
  });
}

/** Dashed lines down through the tracks, where they are not too near. */
export function paintMarkLines(
  ctx: CanvasRenderingContext2D,
  { width, height }: { width: number; height: number },
  range: TimeRange,
  marks: readonly FoundMark[],
  colors: TimelineColors,
): void {
  const shown = marks.map(({ time }) => xOf(range, time, width)).filter((x) => x >= 0 && x <= width);
  if (shown.length * MARK_PITCH > width) return;
  ctx.save();
  ctx.strokeStyle = colors.accent;
  ctx.globalAlpha = 0.6;
  ctx.lineWidth = 1;
  ctx.setLineDash([2, 3]);
  ctx.beginPath();
  for (const x of shown) {
    ctx.moveTo(Math.round(x) + 0.5, 0);
    ctx.lineTo(Math.round(x) + 0.5, height);
  }
  ctx.stroke();
  ctx.restore();
}
