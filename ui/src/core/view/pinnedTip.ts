// SPDX-License-Identifier: Apache-2.0
import type { Curve } from "../series/curve";
import type { Series } from "../series/series";
import { tooltipRows, type TooltipRow } from "./tooltipRows";

/** A tip that stays: its points, not their rows, which mean other points once the chart is zoomed or grows. */
export interface PinnedTip {
  /** Nearest line first. */
  points: readonly TooltipRow[];
  /** Position of the nearest point on the horizontal axis, and that axis. */
  x: number;
  axis: string;
  clientX: number;
  clientY: number;
  /** What smoothed values were made by. */
  smoothing: string;
}

/** The pinned points of the lines that are still there; `series` and `curves` are parallel. */
export function pinnedRows(
  { points, smoothing }: PinnedTip,
  curves: readonly Curve[],
  series: readonly Series[],
  now: string,
): TooltipRow[] {
  return points.flatMap((point) => {
    const line = curves.findIndex(({ key }) => key === point.key);
    if (line < 0) return [];
    const row = rowOf(point, series[line]!);
    if (row >= 0) return tooltipRows([{ curve: line, row, x: 0, distance: 0 }], curves, series, 1);
    const smoothed = smoothing === now ? point.smoothed : null;
    return [{ ...point, smoothed, color: curves[line]!.color, dash: curves[line]!.dash }];
  });
}

/** The row of a point in a reduced curve, which may leave it out: -1. */
function rowOf({ step, wall_time }: TooltipRow, series: Series): number {
  return series.step.findIndex((one, row) => one === step && series.wall_time[row] === wall_time);
}

/** Whether the nearest of these rows is the point that the tip is pinned to. */
export function isSamePoint(tip: PinnedTip, rows: readonly TooltipRow[]): boolean {
  const [one, other] = [tip.points[0], rows[0]];
  return one !== undefined && other !== undefined && one.key === other.key && one.step === other.step && one.wall_time === other.wall_time;
}
