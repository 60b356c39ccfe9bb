// SPDX-License-Identifier: Apache-2.0
/** From this many different numbers on, they are grouped by bins. */
const MANY = 9;
const MOST_BINS = 5;
/** Largest over smallest number from which on bins are equally wide on a logarithmic scale. */
const WIDE = 50;

/** A range of numbers; its end belongs to the last one only. */
export interface Bin {
  low: number;
  high: number;
}

/** Bins over many different numbers, with the edges of the values in them; null where each number can be a group of its own. */
export function binsOf(values: readonly number[]): Bin[] | null {
  const numbers = [...new Set(values.filter(Number.isFinite))].sort((one, other) => one - other);
  if (numbers.length < MANY) return null;
  const [least, most] = [numbers[0]!, numbers.at(-1)!];
  const isLog = least > 0 && most / least >= WIDE;
  const scale = isLog ? Math.log : (value: number): number => value;
  const place = (value: number): number =>
    Math.min(MOST_BINS - 1, Math.floor((MOST_BINS * (scale(value) - scale(least))) / (scale(most) - scale(least))));
  const bins: Bin[] = [];
  let last = -1;
  for (const number of numbers) {
    if (place(number) === last) bins.at(-1)!.high = number;
    else bins.push({ low: number, high: number });
    last = place(number);
  }
  return bins;
}

/** The bin of a number; undefined for one that is in none. */
export function binOf(bins: readonly Bin[], value: number): Bin | undefined {
  return bins.find(({ low, high }) => value >= low && value <= high);
}
