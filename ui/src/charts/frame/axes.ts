// SPDX-License-Identifier: Apache-2.0
import type { Axis, Range } from "../../core/scales/axis";
import { formatLogTick, formatTicks } from "../../core/text/format";
import { durationTicks, linearTicks, logTicks, stepTicks, wallTicks } from "../../core/scales/ticks";
import { formatDuration, formatDurationTicks, formatWallTicks, localOffsetSeconds } from "../../core/text/time";

export const TICK_FONT = '11px "Inter Variable", system-ui, sans-serif';
/** Pixels for a label: times are longer than steps. */
const X_SPACE: Record<PlaceAxis, number> = { step: 54, relative: 64, wall: 76, value: 60 };

/** Quantity on the x-axis: an axis of the server, or the values of another tag. */
export type PlaceAxis = Axis | "value";

export interface XAxis {
  axis: PlaceAxis;
  isLog: boolean;
  /** Shown below the axis; then the vertical axis shows its title, too. */
  title?: string;
}

/** One vertical axis. Its title is shown where there are several. */
export interface YAxis {
  title: string;
  /** A CSS color; null for that of all text. */
  color: string | null;
  isLog: boolean;
  /** Its title is shown where it is the only axis too. */
  isTitled?: boolean;
}

/** Tick positions of the horizontal axis for a width in CSS pixels. */
export function xTicks({ axis, isLog }: XAxis, range: Range, width: number): number[] {
  const count = Math.max(2, Math.floor(width / X_SPACE[axis]));
  if (isLog) return logTicks(range, count);
  if (axis === "step") return stepTicks(range, count);
  if (axis === "value") return linearTicks(range, count);
  return axis === "relative" ? durationTicks(range, count) : wallTicks(range, count, localOffsetSeconds(range[0]));
}

export function xLabels({ axis, isLog }: XAxis, ticks: readonly number[]): string[] {
  if (axis === "relative") return isLog ? ticks.map(formatDuration) : formatDurationTicks(ticks);
  if (axis === "wall") return formatWallTicks(ticks);
  return isLog ? ticks.map((tick) => formatTicks([tick])[0]!) : formatTicks(ticks);
}

export function yTicks(isLog: boolean, range: Range, height: number): number[] {
  const count = Math.max(3, Math.min(Math.floor(height / 24), 4 + Math.floor(height / 80)));
  return isLog ? logTicks(range, count) : linearTicks(range, count);
}

export function yLabels(isLog: boolean, ticks: readonly number[]): string[] {
  return isLog ? ticks.map(formatLogTick) : formatTicks(ticks);
}
