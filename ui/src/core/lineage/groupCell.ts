// SPDX-License-Identifier: Apache-2.0
import { cellText, numberOf, type LineageCell } from "./column";

/** Values of a set that is written out. */
const LONGEST_SET = 4;

/** What a column says of several runs together. */
export interface GroupCell {
  /** The mean of numbers, or the value that all runs share; null where there is neither. */
  value: LineageCell;
  /** Smallest and largest finite number; null where values are not all numbers. */
  low: number | null;
  high: number | null;
  /** How many runs have a finite number. */
  finite: number;
  /** Different values, each with its number of runs, the most common first. */
  values: readonly (readonly [LineageCell, number])[];
}

/** Different values of a setting: a set of a few, a range of many numbers; null for many texts, and without a value. */
export function settingValues(group: GroupCell): { set: LineageCell[] } | { low: number; high: number } | null {
  const { values, low, high } = group;
  if (values.length === 0) return null;
  if (values.length <= LONGEST_SET) return { set: settingCounts(group).map(([cell]) => cell) };
  return low === null || high === null ? null : { low, high };
}

/** Different values, each with its number of runs: numbers ascend, others are the most common first. */
export function settingCounts({ values, low }: GroupCell): GroupCell["values"] {
  const place = ([cell]: readonly [LineageCell, number]): number => {
    const number = numberOf(cell) ?? NaN;
    return Number.isNaN(number) ? Infinity : number;
  };
  return low === null ? values : [...values].sort((one, other) => place(one) - place(other) || 0);
}

/** The cells of some rows together. Missing cells count as nothing; NaN and infinities have no part in a mean. */
export function groupCell(cells: readonly LineageCell[], rows: Iterable<number>): GroupCell {
  const counts = new Map<string, [LineageCell, number]>();
  const finite: number[] = [];
  let isNumeric = true;
  for (const row of rows) {
    const cell = cells[row] ?? null;
    if (cell === null) continue;
    const number = numberOf(cell);
    const key = `${typeof cell} ${cellText(cell)}`;
    const known = counts.get(key);
    if (known) known[1]++;
    else counts.set(key, [cell, 1]);
    if (number === null) isNumeric = false;
    else if (Number.isFinite(number)) finite.push(number);
  }
  const values = [...counts.values()].sort(([, one], [, other]) => other - one);
  if (!isNumeric || finite.length === 0) {
    return { value: values.length === 1 ? values[0]![0] : null, low: null, high: null, finite: 0, values };
  }
  const [low, high] = [least(finite), most(finite)];
  return { value: values.length === 1 ? values[0]![0] : meanOf(finite, low, high), low, high, finite: finite.length, values };
}

/** Halves are added, because the sum of large numbers can be infinite; rounding leaves no mean outside of the range. */
function meanOf(numbers: readonly number[], low: number, high: number): number {
  const mean = 2 * numbers.reduce((sum, number) => sum + number / numbers.length / 2, 0);
  return Math.max(low, Math.min(high, mean));
}

function least(numbers: readonly number[]): number {
  return numbers.reduce((one, other) => Math.min(one, other));
}

function most(numbers: readonly number[]): number {
  return numbers.reduce((one, other) => Math.max(one, other));
}
