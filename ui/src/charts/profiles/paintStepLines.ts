// SPDX-License-Identifier: Apache-2.0
import { stepTicks } from "../../core/scales/ticks";
import type { Size } from "../frame/plotFrame";
import { crisp, segment, type Ink, type Surface } from "../frame/surface";

export const LINES_FRAME = { left: 72, top: 16, right: 16, bottom: 22 } as const;
const FONT = '11px "Inter Variable", system-ui, sans-serif';
const [TICK_ROOM, DOT_ROOM] = [64, 12];

export interface StepLine {
  key: string;
  color: string;
  x: Float64Array;
  /** NaN where there is no value: the line has a gap. */
  y: Float64Array;
  /** Places of points that are marked, such as slow steps. */
  marks?: readonly number[];
}

/** Lines over steps, or over time. */
export interface StepLinesPicture {
  lines: readonly StepLine[];
  /** The least greatest value of the axis. */
  most: number;
  xTicks: ((range: readonly [number, number], count: number) => readonly { at: number; label: string }[]) | null;
  yTicks: (most: number, count: number) => readonly { at: number; label: string }[];
  /** A dashed line, such as the capacity of a queue. */
  limit: number | null;
  /** The chosen x. */
  chosen: number | null;
  hovered: number | null;
}

export interface StepLinesScale {
  x: (value: number) => number;
  y: (value: number) => number;
  range: readonly [number, number];
}

/** Half a step of room on both sides, so that a single step is in the middle. */
export function stepLinesScale(
  { width, height }: Size,
  { lines, most, limit }: Pick<StepLinesPicture, "lines" | "most" | "limit">,
): StepLinesScale {
  const { left, top, right, bottom } = LINES_FRAME;
  let [low, high, greatest] = [Infinity, -Infinity, Math.max(most, limit ?? 0)];
  for (const { x, y } of lines) {
    for (const value of x) [low, high] = [Math.min(low, value), Math.max(high, value)];
    for (const value of y) if (value > greatest) greatest = value;
  }
  if (high < low) [low, high] = [0, 1];
  const margin = high > low ? (high - low) * 0.01 : 0.5;
  const range = [low - margin, high + margin] as const;
  const [wide, tall] = [width - left - right, height - top - bottom];
  return {
    x: (value) => left + ((value - range[0]) / (range[1] - range[0])) * wide,
    y: (value) => top + tall - (value / (greatest || 1)) * tall,
    range,
  };
}

export function paintStepLines(surface: Surface, size: Size, ratio: number, ink: Ink, picture: StepLinesPicture): void {
  const { left, top, right, bottom } = LINES_FRAME;
  const { width, height } = size;
  const scale = stepLinesScale(size, picture);
  const [wide, tall] = [width - left - right, height - top - bottom];
  const greatest = valueAtTop(scale, top, tall);
  surface.font = FONT;
  surface.textBaseline = "middle";
  surface.lineWidth = 1;
  surface.textAlign = "right";
  for (const { at, label } of picture.yTicks(greatest, Math.max(2, Math.floor(tall / 36)))) {
    const y = crisp(scale.y(at), ratio);
    surface.strokeStyle = ink(at === 0 ? "var(--outline)" : "var(--grid-line)");
    surface.beginPath();
    segment(surface, left, y, width - right, y);
    surface.stroke();
    surface.fillStyle = ink("var(--ink-soft)");
    surface.fillText(label, left - 8, y);
  }
  surface.textAlign = "center";
  const count = Math.max(1, Math.floor(wide / TICK_ROOM));
  const ticks = picture.xTicks?.(scale.range, count) ?? stepTicks(scale.range, count).map((at) => ({ at, label: String(at) }));
  for (const { at, label } of ticks) surface.fillText(label, scale.x(at), height - bottom / 2);
  if (picture.limit !== null) {
    surface.save();
    surface.setLineDash([4, 3]);
    surface.strokeStyle = ink("var(--ink-soft)");
    surface.beginPath();
    segment(surface, left, scale.y(picture.limit), width - right, scale.y(picture.limit));
    surface.stroke();
    surface.restore();
  }
  for (const [at, color] of [
    [picture.hovered, "var(--outline)"],
    [picture.chosen, "var(--accent)"],
  ] as const) {
    if (at === null) continue;
    surface.strokeStyle = ink(color);
    surface.beginPath();
    segment(surface, crisp(scale.x(at), ratio), top, crisp(scale.x(at), ratio), top + tall);
    surface.stroke();
  }
  for (const line of picture.lines) paintLine(surface, scale, line, ink(line.color), wide);
  for (const line of picture.lines) paintSlowest(surface, scale, line, ink);
}

function paintLine(surface: Surface, scale: StepLinesScale, { x, y }: StepLine, color: string, wide: number): void {
  surface.strokeStyle = surface.fillStyle = color;
  surface.lineWidth = 1.5;
  surface.lineJoin = "round";
  surface.beginPath();
  let [column, low, high, last] = [NaN, 0, 0, 0];
  const end = (): void => {
    if (Number.isNaN(column)) return;
    if (low !== high) {
      surface.lineTo(column, scale.y(low));
      surface.lineTo(column, scale.y(high));
    }
    surface.lineTo(column, scale.y(last));
  };
  // Many steps in a pixel: its lowest, highest and last value.
  const isDense = x.length > wide;
  x.forEach((value, place) => {
    const own = scale.x(value);
    const at = isDense ? Math.round(own) : own;
    const next = y[place]!;
    if (Number.isNaN(next)) {
      end();
      column = NaN;
    } else if (at === column && isDense) [low, high, last] = [Math.min(low, next), Math.max(high, next), next];
    else {
      end();
      if (Number.isNaN(column)) surface.moveTo(at, scale.y(next));
      [column, low, high, last] = [at, next, next, next];
    }
  });
  end();
  surface.stroke();
  if (x.length * DOT_ROOM > wide) return;
  x.forEach((value, place) => {
    if (Number.isNaN(y[place])) return;
    surface.beginPath();
    surface.arc(scale.x(value), scale.y(y[place]!), 2, 0, 2 * Math.PI);
    surface.fill();
  });
}

/** A ring around each marked point. */
function paintSlowest(surface: Surface, scale: StepLinesScale, { x, y, marks }: StepLine, ink: Ink): void {
  surface.lineWidth = 1.5;
  surface.strokeStyle = ink("var(--bad)");
  for (const place of marks ?? []) {
    surface.beginPath();
    surface.arc(scale.x(x[place]!), scale.y(y[place]!), 5, 0, 2 * Math.PI);
    surface.stroke();
  }
}

function valueAtTop({ y }: StepLinesScale, top: number, tall: number): number {
  const [zero, one] = [y(0), y(1)];
  return one === zero ? 1 : (zero - top) / (zero - one) || tall;
}
