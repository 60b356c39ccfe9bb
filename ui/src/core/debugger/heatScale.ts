// SPDX-License-Identifier: Apache-2.0
const LOG_FROM = 100;
const MOST_SAMPLES = 20_000;
const TAIL = 0.01;

/** Which figures the ends of the color scale are; figures beyond have the colors of the ends. */
export interface HeatScale {
  low: number;
  high: number;
  isLog: boolean;
  isBelow: boolean;
  isAbove: boolean;
}

/**
 * The color scale of figures; null without a finite one. Figures that are not negative have the scale of their logarithm if
 * they differ by more than two orders of magnitude. Otherwise few outliers don't take the colors of all others.
 */
export function heatScale(values: ArrayLike<number>): HeatScale | null {
  let [minimum, maximum] = [Infinity, -Infinity];
  for (let place = 0; place < values.length; place++) {
    const value = values[place]!;
    if (!Number.isFinite(value)) continue;
    if (value < minimum) minimum = value;
    if (value > maximum) maximum = value;
  }
  if (minimum > maximum) return null;
  if (minimum >= 0) {
    const low = quantile(sampled(values, 0), TAIL) ?? minimum;
    if (low > 0 && maximum / low > LOG_FROM) return { low, high: maximum, isLog: true, isBelow: minimum < low, isAbove: false };
  } else {
    const inner = sampled(values, -Infinity);
    const [low, high] = [quantile(inner, TAIL)!, quantile(inner, 1 - TAIL)!];
    if (high > low && maximum - minimum > LOG_FROM * (high - low))
      return { low, high, isLog: false, isBelow: minimum < low, isAbove: maximum > high };
  }
  return { low: minimum, high: maximum, isLog: false, isBelow: false, isAbove: false };
}

/** The place of a value on the color scale, from 0 to 1; the middle if all are equal. */
export function heatShare(value: number, { low, high, isLog }: HeatScale): number {
  if (!(high > low)) return 0.5;
  const share = isLog ? Math.log(value / low) / Math.log(high / low) : (value - low) / (high - low);
  return Math.min(1, Math.max(0, share));
}

/** Finite values above a limit, ascending; a part of them where they are many. */
function sampled(values: ArrayLike<number>, above: number): Float64Array {
  const stride = Math.max(1, Math.ceil(values.length / MOST_SAMPLES));
  const found: number[] = [];
  for (let place = 0; place < values.length; place += stride) {
    const value = values[place]!;
    if (Number.isFinite(value) && value > above) found.push(value);
  }
  return Float64Array.from(found).sort();
}

function quantile(sorted: Float64Array, share: number): number | null {
  return sorted.length === 0 ? null : sorted[Math.round(share * (sorted.length - 1))]!;
}
