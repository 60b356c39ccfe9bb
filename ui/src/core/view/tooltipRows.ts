// SPDX-License-Identifier: Apache-2.0
import type { Curve } from "../series/curve";
import type { Dash } from "../series/dashes";
import type { Hit } from "../series/nearest";
import type { Series } from "../series/series";

/** One line of the tip under the cursor. */
export interface TooltipRow {
  key: string;
  label: string;
  /** Which of several parts of a chart; "" where a chart has only one. */
  part: string;
  color: string;
  dash: Dash;
  value: number;
  smoothed: number | null;
  step: number;
  /** Seconds since the first point of the series; null when that is not known. */
  relative: number | null;
  wall_time: number;
}

/** How the rows of a tip are sorted. */
export type TooltipOrder = "nearest" | "descending" | "ascending";

export const TOOLTIP_ORDERS: readonly TooltipOrder[] = ["nearest", "descending", "ascending"];

/** Hits that come nearest first, sorted by the drawn value instead; what is no number comes last. */
export function orderedHits(hits: readonly Hit[], curves: readonly Curve[], order: TooltipOrder): readonly Hit[] {
  if (order === "nearest") return hits;
  const valueOf = ({ curve, row }: Hit): number => sortValue((curves[curve]?.smoothed ?? curves[curve]?.raw)?.[row] ?? NaN, order);
  return [...hits].sort((one, other) => valueOf(one) - valueOf(other) || one.curve - other.curve);
}

/** Rows that come nearest first, sorted as hits are. */
export function orderedRows(rows: readonly TooltipRow[], order: TooltipOrder): readonly TooltipRow[] {
  if (order === "nearest") return rows;
  const valueOf = ({ smoothed, value }: TooltipRow): number => sortValue(smoothed ?? value, order);
  return [...rows].sort((one, other) => valueOf(one) - valueOf(other));
}

function sortValue(value: number, order: TooltipOrder): number {
  if (Number.isNaN(value)) return Infinity;
  return order === "descending" ? -value : value;
}

/** The part of a sorted tip that is shown: `most` hits around the nearest one, which is never out of sight. */
export function hitWindow(hits: readonly Hit[], nearest: Hit, most: number): { first: number; end: number } {
  const at = hits.indexOf(nearest);
  const first = Math.max(0, Math.min(at - Math.floor(most / 2), hits.length - most));
  return { first, end: Math.min(hits.length, first + most) };
}

/** Rows for hits, in their order; `series` and `curves` are parallel. */
export function tooltipRows(hits: readonly Hit[], curves: readonly Curve[], series: readonly Series[], limit: number): TooltipRow[] {
  return hits.slice(0, limit).flatMap((hit) => {
    const [curve, columns] = [curves[hit.curve], series[hit.curve]];
    if (!curve || !columns || hit.row >= columns.value.length) return [];
    return [
      {
        key: curve.key,
        label: curve.label,
        part: curve.part,
        color: curve.color,
        dash: curve.dash,
        value: columns.value[hit.row]!,
        smoothed: columns.smoothed ? columns.smoothed[hit.row]! : null,
        step: columns.step[hit.row]!,
        relative: columns.start_wall_time === null ? null : columns.wall_time[hit.row]! - columns.start_wall_time,
        wall_time: columns.wall_time[hit.row]!,
      },
    ];
  });
}
