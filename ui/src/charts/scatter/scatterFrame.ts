// SPDX-License-Identifier: Apache-2.0
import type { AxisScale, AxisTick } from "../../core/lineage/axisScale";
import type { Area } from "../../core/series/histogramLayout";
import { labelWidth } from "../frame/labelWidth";
import type { Size } from "../frame/plotFrame";

/** Places of a scatter chart; all lengths in CSS pixels. */
export interface ScatterFrame {
  size: Size;
  area: Area;
  xTicks: readonly AxisTick[];
  yTicks: readonly AxisTick[];
  /** Room for a label of the y-axis. */
  labelWidth: number;
}

/** Depth of the histograms above and right of the area, with their distance from it. */
export const MARGIN = 40;
export const MARGIN_GAP = 4;
const TITLE = 20;
const BOTTOM = 40;
const RIGHT = 8;
const LABEL_GAP = 10;
const LONGEST_LABEL = 110;
const X_LABEL_GAP = 14;
const TICK_HEIGHT = 40;
const CATEGORY_HEIGHT = 14;

export function scatterFrame(x: AxisScale, y: AxisScale, size: Size): ScatterFrame {
  const top = TITLE + MARGIN + MARGIN_GAP;
  const height = Math.max(1, size.height - top - BOTTOM);
  const yTicks = y.ticks(Math.max(2, Math.floor(height / (y.kind === "category" ? CATEGORY_HEIGHT : TICK_HEIGHT))));
  const labels = Math.min(LONGEST_LABEL, Math.max(24, ...yTicks.map(({ label }) => labelWidth(label))));
  const left = Math.ceil(labels) + LABEL_GAP;
  const width = Math.max(1, size.width - left - MARGIN - MARGIN_GAP - RIGHT);
  return { size, area: { left, top, width, height }, xTicks: fittingTicks(x, width), yTicks, labelWidth: labels };
}

/** As many ticks as there is room for their labels. */
function fittingTicks(scale: AxisScale, width: number): AxisTick[] {
  for (let count = Math.max(2, Math.floor(width / 40)); count > 1; count--) {
    const ticks = scale.ticks(count);
    const widest = Math.max(0, ...ticks.map(({ label }) => labelWidth(label)));
    if (ticks.length * (widest + X_LABEL_GAP) <= width) return ticks;
  }
  return scale.ticks(2);
}

export function xOf({ area }: ScatterFrame, share: number): number {
  return area.left + share * area.width;
}

export function yOf({ area }: ScatterFrame, share: number): number {
  return area.top + (1 - share) * area.height;
}
