// SPDX-License-Identifier: Apache-2.0
import { formatSetting } from "../text/format";
import { labelOf, type AxisScale } from "./axisScale";
import { numbersOf, type LineageColumn } from "./column";

/** A part of an axis: one of its categories, or a range of numbers. */
export interface AxisPart {
  label: string;
  /** Ends of a range; null for a category. */
  range: readonly [low: number, high: number] | null;
}

/** An axis cut into its categories, or into at most `most` parts of equal width. */
export function axisParts(scale: AxisScale, most: number): AxisPart[] {
  if (scale.kind === "category") {
    const labels = scale.categories.map((cell) => ({ label: labelOf(cell), range: null }));
    return scale.isTurned ? labels.reverse() : labels;
  }
  return Array.from({ length: most }, (_, index) => {
    const [one, other] = [scale.valueAt(index / most), scale.valueAt((index + 1) / most)];
    const [low, high] = [Math.min(one, other), Math.max(one, other)];
    return { label: `${formatSetting(low)} – ${formatSetting(high)}`, range: [low, high] as const };
  });
}

/** The part that a run is in; -1 for a run without a place. */
export function partOf({ shares }: AxisScale, row: number, count: number): number {
  const share = shares[row] ?? NaN;
  return Number.isNaN(share) ? -1 : Math.max(0, Math.min(count - 1, Math.floor(share * count)));
}

/** The mean of a target for each pair of parts of two axes. */
export interface TargetGrid {
  columns: readonly AxisPart[];
  /** From the lower end up. */
  rows: readonly AxisPart[];
  /** Row by row; NaN for a cell without a run. */
  means: Float64Array;
  counts: Uint32Array;
  /** Drawn runs with a target but without a place, and without a finite target. */
  unplaced: number;
  withoutTarget: number;
}

export function targetGrid(x: AxisScale, y: AxisScale, target: LineageColumn, rows: ArrayLike<number>, mostParts: number): TargetGrid {
  const [columns, lines, numbers] = [axisParts(x, mostParts), axisParts(y, mostParts), numbersOf(target)];
  const sums = new Float64Array(columns.length * lines.length);
  const counts = new Uint32Array(sums.length);
  let [unplaced, withoutTarget] = [0, 0];
  for (let line = 0; line < rows.length; line++) {
    const row = rows[line]!;
    const [column, upward] = [partOf(x, row, columns.length), partOf(y, row, lines.length)];
    if (!Number.isFinite(numbers[row])) withoutTarget++;
    else if (column < 0 || upward < 0) unplaced++;
    else {
      sums[upward * columns.length + column]! += numbers[row]!;
      counts[upward * columns.length + column]!++;
    }
  }
  return { columns, rows: lines, means: sums.map((sum, cell) => sum / counts[cell]!), counts, unplaced, withoutTarget };
}
