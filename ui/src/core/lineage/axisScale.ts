// SPDX-License-Identifier: Apache-2.0
import type { Range } from "../scales/axis";
import { linearTicks, logTicks, stepTicks } from "../scales/ticks";
import { formatLogTick, formatSetting, formatTicks } from "../text/format";
import { gapOf, type GapKind } from "./brushes";
import { cellText, distinctCells, numberOf, numbersOf, type LineageCell, type LineageColumn, type ScaleKind } from "./column";

/** A place along an axis: 0 at its lower end, 1 at its upper end. */
export type Share = number;

export interface AxisTick {
  share: Share;
  label: string;
}

/** An axis of a chart: a column, and how it is shown. */
export interface AxisChoice {
  column: LineageColumn;
  scale: ScaleKind;
  /** Large values are at the lower end. */
  isTurned: boolean;
}

/** Digits of a value that is read from a place: finer than a pixel of any screen. */
const PLACES = 4000;

/** Places of a column's cells along an axis. The axis ends at the smallest and the largest value of the drawn runs. */
export class AxisScale {
  readonly column: LineageColumn;
  readonly kind: ScaleKind;
  readonly isTurned: boolean;
  /** Distinct values in natural order; empty for a numeric axis. */
  readonly categories: readonly LineageCell[];
  /** Ends of a numeric axis, unequal. */
  readonly range: Range;
  /** One for each run of the column; NaN for a cell without a place. */
  readonly shares: Float64Array;
  /** Why drawn runs have no place, and how many. */
  readonly gaps: ReadonlyMap<GapKind, number>;
  readonly #places: ReadonlyMap<string, number>;
  /** All drawn numbers are whole; TensorBoard's plugin stores integers as floats. */
  readonly #isWhole: boolean;

  constructor({ column, scale, isTurned }: AxisChoice, rows: ArrayLike<number>) {
    this.column = column;
    this.kind = scale;
    this.isTurned = isTurned;
    const drawn = Array.from(rows, (row) => column.cells[row] ?? null);
    this.categories = scale === "category" ? categoriesOf(drawn) : [];
    this.#places = new Map(this.categories.map((cell, index) => [cellText(cell), index]));
    this.range = scale === "category" ? [0, 1] : rangeOf(numbersOf({ cells: drawn }), scale === "log");
    this.#isWhole = drawn.every((cell) => typeof cell !== "number" || Number.isInteger(cell) || !Number.isFinite(cell));
    this.shares = this.#sharesOf(column);
    this.gaps = gapCounts(drawn, scale);
  }

  /** The place of a number; beyond 0 and 1 outside of the axis. */
  shareOf(value: number): Share {
    const [low, high] = this.range.map(this.#straight) as [number, number];
    return this.#turned((this.#straight(value) - low) / (high - low));
  }

  /** The number at a place of a numeric axis, with as many digits as a screen can show. */
  valueAt(share: Share): number {
    const at = this.#turned(share);
    const [low, high] = this.range;
    if (at <= 0) return low;
    if (at >= 1) return high;
    if (this.kind === "log") return rounded(low * (high / low) ** at, low * ((high / low) ** (1 / PLACES) - 1));
    return rounded(low + at * (high - low), (high - low) / PLACES);
  }

  /** The place of a category, in the middle of its band; NaN if it is not drawn. */
  shareOfCategory(text: string): Share {
    return this.#turned(((this.#places.get(text) ?? NaN) + 0.5) / this.categories.length);
  }

  /** The index of the category whose band is at a place. */
  categoryAt(share: Share): number {
    const count = this.categories.length;
    return Math.max(0, Math.min(count - 1, Math.floor(this.#turned(share) * count)));
  }

  /** At most `count` ticks; of more categories every n-th. */
  ticks(count: number): AxisTick[] {
    if (this.kind === "category") return this.#categoryTicks(count);
    const evenTicks = this.#isWhole ? stepTicks : linearTicks;
    const values = this.kind === "log" ? logTicks(this.range, count) : evenTicks(this.range, count);
    const labels = this.kind === "log" ? values.map(formatLogTick) : formatTicks(values);
    return values.map((value, index) => ({ share: this.shareOf(value), label: labels[index]! }));
  }

  #categoryTicks(count: number): AxisTick[] {
    const stride = Math.ceil(this.categories.length / Math.max(1, count));
    return this.categories
      .filter((_, index) => index % stride === 0)
      .map((cell) => ({ share: this.shareOfCategory(cellText(cell)), label: labelOf(cell) }));
  }

  #sharesOf({ cells }: LineageColumn): Float64Array {
    return Float64Array.from(cells, (cell) => {
      if (gapOf(cell, this.kind) !== null) return NaN;
      return this.kind === "category" ? this.shareOfCategory(cellText(cell)) : this.shareOf(numberOf(cell)!);
    });
  }

  #straight = (value: number): number => (this.kind === "log" ? Math.log10(value) : value);

  #turned(share: Share): Share {
    return this.isTurned ? 1 - share : share;
  }
}

/** To as few digits as keep the distance to the value below `step`. */
function rounded(value: number, step: number): number {
  const decimals = Math.ceil(-Math.log10(step));
  return decimals > 0 && decimals <= 100 ? Number(value.toFixed(decimals)) : Math.round(value);
}

/** A cell as people write it: 0.1 rather than 0.1000. */
export function labelOf(cell: LineageCell): string {
  return typeof cell === "number" ? formatSetting(cell) : cellText(cell);
}

function categoriesOf(cells: readonly LineageCell[]): LineageCell[] {
  return distinctCells({ cells }).filter((cell) => gapOf(cell, "category") === null);
}

function rangeOf(numbers: Float64Array, isLog: boolean): Range {
  let [low, high] = [Infinity, -Infinity];
  for (const number of numbers) {
    if (!Number.isFinite(number) || (isLog && number <= 0)) continue;
    if (number < low) low = number;
    if (number > high) high = number;
  }
  if (low > high) return isLog ? [1, 10] : [0, 1];
  if (low < high) return [low, high];
  if (isLog) return [low / 2, low * 2];
  return low === 0 ? [-1, 1] : [low - Math.abs(low) / 2, low + Math.abs(low) / 2];
}

function gapCounts(cells: readonly LineageCell[], scale: ScaleKind): Map<GapKind, number> {
  const counts = new Map<GapKind, number>();
  for (const cell of cells) {
    const gap = gapOf(cell, scale);
    if (gap !== null) counts.set(gap, (counts.get(gap) ?? 0) + 1);
  }
  return counts;
}
