// SPDX-License-Identifier: Apache-2.0
import type { AxisScale } from "../../core/lineage/axisScale";
import type { LineColors } from "../../core/lineage/lineColors";
import { heightOf, type AxisArea } from "./paintAxis";

/** Lines of a category take at most this share of its band, and this many pixels each. */
const BAND_SHARE = 0.55;
const LINE_SPREAD = 2.5;

/**
 * Heights at which the lines of `rows` pass an axis; those without a place pass at its mark. Lines of a category pass side
 * by side in the order of their colors, so that a category shows its mixture.
 */
export function lineHeights(scale: AxisScale, rows: ArrayLike<number>, area: AxisArea, colors: LineColors): Float32Array {
  const heights = Float32Array.from(rows, (row) => {
    const share = scale.shares[row] ?? NaN;
    return Number.isNaN(share) ? area.gapY : heightOf(area, share);
  });
  if (scale.kind === "category") spread(heights, area, scale, colors);
  return heights;
}

function spread(heights: Float32Array, area: AxisArea, { categories }: AxisScale, colors: LineColors): void {
  const most = (BAND_SHARE * area.height) / categories.length;
  for (const [height, lines] of linesByHeight(heights)) {
    if (height === Math.fround(area.gapY)) continue;
    lines.sort(byColor(colors));
    const room = Math.min(most, LINE_SPREAD * (lines.length - 1));
    lines.forEach((line, place) => (heights[line] = height + (lines.length > 1 ? room * (0.5 - place / (lines.length - 1)) : 0)));
  }
}

function linesByHeight(heights: Float32Array): Map<number, number[]> {
  const groups = new Map<number, number[]>();
  heights.forEach((height, line) => {
    const group = groups.get(height);
    if (group) group.push(line);
    else groups.set(height, [line]);
  });
  return groups;
}

/** Lines without a color first. */
function byColor(colors: LineColors): (one: number, other: number) => number {
  if ("shares" in colors) {
    const share = (line: number): number => (Number.isNaN(colors.shares[line]) ? -1 : colors.shares[line]!);
    return (one, other) => share(one) - share(other) || one - other;
  }
  return (one, other) =>
    (colors.colors[one]! < colors.colors[other]! ? -1 : Number(colors.colors[one]! > colors.colors[other]!)) || one - other;
}
