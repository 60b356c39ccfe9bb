// SPDX-License-Identifier: Apache-2.0
import type { Curve } from "./curve";
import type { Hit } from "./nearest";
import type { Series } from "./series";

/** One line of the tip under the cursor. */
export interface TipRow {
  key: string;
  label: string;
  /** Which of several parts of a chart; "" where a chart has only one. */
  part: string;
  colour: string;
  value: number;
  smoothed: number | null;
  step: number;
  /** Seconds since the first point of the series; null when that is not known. */
  relative: number | null;
  wallTime: number;
}

/** Rows for hits, in their order; `series` and `curves` are parallel. */
export function tipRows(hits: readonly Hit[], curves: readonly Curve[], series: readonly Series[], limit: number): TipRow[] {
  return hits.slice(0, limit).flatMap((hit) => {
    const [curve, columns] = [curves[hit.curve], series[hit.curve]];
    if (!curve || !columns || hit.row >= columns.value.length) return [];
    return [
      {
        key: curve.key,
        label: curve.label,
        part: curve.part,
        colour: curve.colour,
        value: columns.value[hit.row]!,
        smoothed: columns.smoothed ? columns.smoothed[hit.row]! : null,
        step: columns.step[hit.row]!,
        relative: Number.isNaN(columns.startWallTime) ? null : columns.wallTime[hit.row]! - columns.startWallTime,
        wallTime: columns.wallTime[hit.row]!,
      },
    ];
  });
}
