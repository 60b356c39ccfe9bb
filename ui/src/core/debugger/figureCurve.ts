// SPDX-License-Identifier: Apache-2.0
import type { Range } from "../scales/axis";

/** One figure of a tensor over steps, reduced to the pixels of a chart. */
export interface FigureCurve {
  /** Numbers at the ends of the axis; null without a finite value. */
  range: Range | null;
  /** The line: its parts end where nothing was recorded. In pixels. */
  parts: readonly (readonly (readonly [x: number, y: number])[])[];
  /** Pixels across of steps with NaN or infinities, each once. */
  faults: readonly number[];
  /** Whether a value is infinite. */
  isInfinite: boolean;
}

/**
 * Every extreme stays: of the steps in one pixel across, the line has the first, the lowest, the highest and the last value.
 * `x` gives the pixel of a step; `value` is NaN where nothing was recorded. An infinite one is at the upper end.
 * The axis reaches `limit` if a value is near it.
 */
export function figureCurve(
  step: ArrayLike<number>,
  value: ArrayLike<number>,
  nonFinite: ArrayLike<number>,
  x: (step: number) => number,
  height: number,
  limit: number | null = null,
): FigureCurve {
  const range = paddedRange(value, limit);
  const y = (one: number): number => (range && Number.isFinite(one) ? height - ((one - range[0]) / (range[1] - range[0])) * height : 0);
  const parts: [number, number][][] = [];
  const faults = new Set<number>();
  let part: [number, number][] = [];
  for (let row = 0; row < step.length;) {
    const pixel = Math.round(x(step[row]!));
    const found: number[] = [];
    let isBroken = false;
    for (; row < step.length && Math.round(x(step[row]!)) === pixel; row++) {
      if (nonFinite[row]! > 0) faults.add(pixel);
      const one = value[row]!;
      if (Number.isFinite(one) || one === Infinity) found.push(one);
      else isBroken = true;
    }
    for (const one of extremes(found)) part.push([pixel, y(one)]);
    if (isBroken && part.length > 0) {
      parts.push(part);
      part = [];
    }
  }
  if (part.length > 0) parts.push(part);
  return { range, parts, faults: [...faults], isInfinite: Array.prototype.includes.call(value, Infinity) };
}

function extremes(values: readonly number[]): number[] {
  if (values.length < 5) return [...values];
  const [low, high] = [values.indexOf(least(values)), values.indexOf(-least(values.map((each) => -each)))];
  return [...new Set([0, Math.min(low, high), Math.max(low, high), values.length - 1])].map((place) => values[place]!);
}

function least(values: readonly number[]): number {
  return values.reduce((one, other) => Math.min(one, other), Infinity);
}

/** With room above and below; around zero if all values are equal. A limit is near up to 20 times the largest value. */
function paddedRange(value: ArrayLike<number>, limit: number | null): Range | null {
  let [low, high] = [Infinity, -Infinity];
  for (let row = 0; row < value.length; row++) {
    const one = value[row]!;
    if (Number.isFinite(one)) [low, high] = [Math.min(low, one), Math.max(high, one)];
  }
  if (high < low) return null;
  if (limit !== null && limit <= 20 * high) high = Math.max(high, limit);
  const margin = high > low ? (high - low) * 0.06 : Math.abs(high) * 0.1 || 1;
  return [low - margin, high + margin];
}
