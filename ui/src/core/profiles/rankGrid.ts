// SPDX-License-Identifier: Apache-2.0
import type { Message } from "../messages/message";

/** One row for each step of each rank, by rank, cycle and step; nanoseconds by name in `columns`. */
export type RankSteps = Message<"RankStepColumns">;

/** Ranks below each other, their steps side by side. */
export interface RankGrid {
  ranks: readonly number[];
  columns: readonly { cycle: number; step: number }[];
  /** Row of the steps for each cell, rank by rank; -1 where a rank has no such step. */
  rows: Int32Array;
}

export function rankGrid({ rank, cycle, step }: RankSteps): RankGrid {
  const ranks = [...new Set(rank)].sort((one, other) => one - other);
  const keys = new Map<string, { cycle: number; step: number }>();
  for (let row = 0; row < rank.length; row++) {
    const column = { cycle: cycle[row]!, step: step[row]! };
    keys.set(`${column.cycle} ${column.step}`, column);
  }
  const columns = [...keys.values()].sort((one, other) => one.cycle - other.cycle || one.step - other.step);
  const placeOfRank = new Map(ranks.map((each, place) => [each, place]));
  const placeOfColumn = new Map(columns.map((each, place) => [`${each.cycle} ${each.step}`, place]));
  const rows = new Int32Array(ranks.length * columns.length).fill(-1);
  for (let row = 0; row < rank.length; row++) {
    const column = placeOfColumn.get(`${cycle[row]} ${step[row]}`)!;
    rows[placeOfRank.get(rank[row]!)! * columns.length + column] = row;
  }
  return { ranks, columns, rows };
}

/** A value for each cell; NaN where a rank has no such step. */
export function gridValues({ rows }: RankGrid, values: Float64Array): Float64Array {
  return Float64Array.from(rows, (row) => (row < 0 ? Number.NaN : values[row]!));
}

/** The least and the greatest finite value; null without any. */
export function valueRange(values: Float64Array): { low: number; high: number } | null {
  let [low, high] = [Infinity, -Infinity];
  for (const value of values) {
    if (!Number.isFinite(value)) continue;
    low = Math.min(low, value);
    high = Math.max(high, value);
  }
  return low <= high ? { low, high } : null;
}

/** Columns merged so that at most `most` remain: each is the greatest value of those that it merges. */
export function mergedColumns(values: Float64Array, columns: number, most: number): { values: Float64Array; columns: number } {
  if (columns <= most || columns === 0) return { values, columns };
  const rows = values.length / columns;
  const merged = new Float64Array(rows * most).fill(Number.NaN);
  for (let row = 0; row < rows; row++) {
    for (let column = 0; column < columns; column++) {
      const place = row * most + Math.floor((column * most) / columns);
      const value = values[row * columns + column]!;
      if (!(merged[place]! >= value)) merged[place] = Number.isNaN(value) ? merged[place]! : value;
    }
  }
  return { values: merged, columns: most };
}

export type RankLinks = Message<"LinkColumns">;

/** Bandwidths from ranks, below each other, to ranks, side by side; NaN where they have no link. */
export interface LinkMatrix {
  ranks: readonly number[];
  values: Float64Array;
  /** Row of the links for each cell; -1 for none. */
  rows: Int32Array;
}

export function linkMatrix({ kind, source, destination, bandwidth }: RankLinks, chosen: number): LinkMatrix {
  const own = Array.from(kind.keys()).filter((row) => kind[row] === chosen);
  const ranks = [...new Set(own.flatMap((row) => [source[row]!, destination[row]!]))].sort((one, other) => one - other);
  const place = new Map(ranks.map((rank, index) => [rank, index]));
  const rows = new Int32Array(ranks.length ** 2).fill(-1);
  for (const row of own) rows[place.get(source[row]!)! * ranks.length + place.get(destination[row]!)!] = row;
  return { ranks, values: Float64Array.from(rows, (row) => (row < 0 ? Number.NaN : bandwidth[row]!)), rows };
}

/** `0–3, 5` of 0, 1, 2, 3, 5. */
export function numberRanges(numbers: readonly number[]): string {
  const ranges: [number, number][] = [];
  for (const number of numbers) {
    const last = ranges.at(-1);
    if (last && number === last[1] + 1) last[1] = number;
    else ranges.push([number, number]);
  }
  return ranges.map(([first, last]) => (first === last ? String(first) : `${first}–${last}`)).join(", ");
}
