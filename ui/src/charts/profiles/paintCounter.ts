// SPDX-License-Identifier: Apache-2.0
import type { CounterWindow, TimelineCounter, TimelineWindow } from "../../core/profiles/timeline";
import type { TimeRange } from "../../core/profiles/timeRange";
import { formatBytes, formatValue } from "../../core/text/format";
import { xOf, type TimelineColors } from "./timelinePicture";

interface Band {
  top: number;
  height: number;
  width: number;
}

/** Lowest and highest value that are drawn: zero is always one of them, or between them. */
export function counterExtent({ low, high }: Pick<TimelineCounter, "low" | "high">): [number, number] {
  const [least, most] = [Math.min(0, low), Math.max(0, high)];
  return least === most ? [0, 1] : [least, most];
}

export function counterText(value: number, unit: string): string {
  if (unit !== "bytes") return unit === "" ? formatValue(value) : `${formatValue(value)}\u202f${unit}`;
  return value < 0 ? `\u2212${formatBytes(-value)}` : formatBytes(value);
}

/** A quantity over time: filled down to zero, from the lowest to the highest value where a pixel has several. */
export function paintCounter(
  ctx: CanvasRenderingContext2D,
  { top, height, width }: Band,
  counter: TimelineCounter,
  values: CounterWindow,
  window: TimelineWindow,
  range: TimeRange,
  colors: TimelineColors,
): void {
  const [least, most] = counterExtent(counter);
  const y = (value: number): number => top + height - ((value - least) / (most - least)) * (height - 2) - 1;
  const zero = y(0);
  ctx.fillStyle = colors.grid;
  ctx.fillRect(0, Math.round(zero), width, 1);
  const line = new Path2D();
  const fill = new Path2D();
  let before = values.before;
  let x = before === null ? null : Math.max(0, xOf(range, window.begin_ns, width));
  if (x !== null) {
    line.moveTo(x, y(before!));
    fill.moveTo(x, zero);
    fill.lineTo(x, y(before!));
  }
  values.pixel.forEach((pixel, place) => {
    const at = xOf(range, window.begin_ns + pixel * window.pixel_ns, width);
    if (x === null) {
      line.moveTo(at, y(values.last[place]!));
      fill.moveTo(at, zero);
    } else {
      line.lineTo(at, y(before!));
      fill.lineTo(at, y(before!));
    }
    for (const value of [values.low[place]!, values.high[place]!, values.last[place]!]) {
      line.lineTo(at, y(value));
      fill.lineTo(at, y(value));
    }
    [x, before] = [at, values.last[place]!];
  });
  if (x === null || before === null) return;
  const end = Math.min(width, xOf(range, window.begin_ns + window.width * window.pixel_ns, width));
  line.lineTo(end, y(before));
  fill.lineTo(end, y(before));
  fill.lineTo(end, zero);
  ctx.save();
  ctx.beginPath();
  ctx.rect(0, top, width, height);
  ctx.clip();
  ctx.fillStyle = ctx.strokeStyle = colors.lines[counter.counter % colors.lines.length]!;
  ctx.globalAlpha = 0.16;
  ctx.fill(fill);
  ctx.globalAlpha = 1;
  ctx.lineWidth = 1.25;
  ctx.stroke(line);
  ctx.restore();
}
