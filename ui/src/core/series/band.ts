// SPDX-License-Identifier: Apache-2.0
import type { Floats } from "./series";
import type { Band } from "./curve";

/** How much of a single band is seen. */
export const BAND_OPACITY = 0.16;
/** Bands that all lie over each other let at least this much through. */
const SEEN_THROUGH = 0.5;

/** Opacity of each band for a number of bands, so that the lines in them stay visible. */
export function bandOpacity(count: number): number {
  return Math.min(BAND_OPACITY, 1 - SEEN_THROUGH ** (1 / Math.max(1, count)));
}

/** Of three finite neighbors of noise, the middle one is the highest or the lowest two times out of three. */
const NOISY_TURNS = 0.3;

/** Whether a line goes up and down so often that it fills an area; steps and ramps do not. */
export function isNoisy(values: ArrayLike<number>): boolean {
  let turns = 0;
  let before = 0;
  let rows = 0;
  for (let row = 1; row < values.length; row++) {
    const change = values[row]! - values[row - 1]!;
    if (!Number.isFinite(change)) continue;
    rows++;
    if (change * before < 0) turns++;
    if (change !== 0) before = change;
  }
  return turns > NOISY_TURNS * rows;
}

/**
 * The room that a noisy line takes, without the steps of its envelope: each edge is the mean of the extremes within `reach`.
 *
 * Every one of these extremes lies beyond the value itself, and so does their mean: no value leaves the band.
 */
export function softEnvelope(x: ArrayLike<number>, values: ArrayLike<number>, reach: number): Band {
  const { low, high } = envelope(x, values, reach);
  return { low: windowMean(x, low, reach), high: windowMean(x, high, reach) };
}

/** Mean of what is a number within `reach` of each position; NaN where nothing is. Each sum starts from zero, so that a spike of 1e30 leaves no rounding error in later ones. */
function windowMean(x: ArrayLike<number>, values: Floats, reach: number): Floats {
  const means = new Float64Array(values.length);
  let first = 0;
  for (let row = 0; row < values.length; row++) {
    const [start, end] = [x[row]! - reach, x[row]! + reach];
    while (x[first]! < start) first++;
    let sum = 0;
    let count = 0;
    for (let near = first; near < x.length && x[near]! <= end; near++) {
      const value = values[near]!;
      if (Number.isNaN(value)) continue;
      sum += value;
      count++;
    }
    means[row] = count > 0 ? sum / count : NaN;
  }
  return means;
}

/**
 * Lowest and highest finite value within `reach` of each position: the room that a noisy line takes.
 *
 * Positions must not go back. Rows without a finite value near are NaN. Monotonic queues: every row is entered and left
 * once, however far the reach.
 */
export function envelope(x: ArrayLike<number>, values: ArrayLike<number>, reach: number): Band {
  return { low: windowExtreme(x, values, reach, -1), high: windowExtreme(x, values, reach, 1) };
}

/** `sign` 1 gives the largest, -1 the smallest value of each window. */
function windowExtreme(x: ArrayLike<number>, values: ArrayLike<number>, reach: number, sign: 1 | -1): Floats {
  const extremes = new Float64Array(x.length).fill(NaN);
  const queue: number[] = [];
  let head = 0;
  let next = 0;
  for (let row = 0; row < x.length; row++) {
    for (; next < x.length && x[next]! <= x[row]! + reach; next++) {
      if (!Number.isFinite(values[next])) continue;
      while (queue.length > head && sign * values[queue[queue.length - 1]!]! <= sign * values[next]!) queue.pop();
      queue.push(next);
    }
    while (head < queue.length && x[queue[head]!]! < x[row]! - reach) head++;
    if (head < queue.length) extremes[row] = values[queue[head]!]!;
  }
  return extremes;
}
