// SPDX-License-Identifier: Apache-2.0
import type { Range } from "./axis";

const SECOND_STEPS = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10800, 21600, 43200, 86400];

const WHOLE_FACTORS = [1, 2, 5, 10];
/** With 2.5 a step never puts less than half as many ticks as there is room for. */
const FACTORS = [1, 2, 2.5, 5, 10];

/** Smallest of the factors x 10^k that puts at most `count` steps into the width. */
export function niceStep(width: number, count: number, factors: readonly number[] = WHOLE_FACTORS): number {
  const rough = width / Math.max(1, count);
  const power = 10 ** Math.floor(Math.log10(rough));
  const factor = factors.find((candidate) => candidate * power >= rough * 0.999999) ?? 10;
  return factor * power;
}

function multiples([low, high]: Range, step: number): number[] {
  const ticks: number[] = [];
  const first = Math.ceil(low / step - 1e-9);
  const last = Math.floor(high / step + 1e-9);
  for (let index = first; index <= last && ticks.length < 1000; index++) ticks.push(index * step || 0);
  return ticks.map((tick) => Number(tick.toPrecision(12)));
}

export function linearTicks(range: Range, count: number): number[] {
  const width = range[1] - range[0];
  return width > 0 && Number.isFinite(width) ? multiples(range, niceStep(width, count, FACTORS)) : [];
}

/** Steps are whole numbers: no tick at 2.5. */
export function stepTicks(range: Range, count: number): number[] {
  const width = range[1] - range[0];
  return width > 0 ? multiples(range, Math.max(1, niceStep(width, count))) : [];
}

/** Powers of ten, thinned when they are many, filled up with 2 and 5 when they are few. */
export function logTicks([low, high]: Range, count: number): number[] {
  if (!(low > 0) || !(high > low)) return [];
  const first = Math.ceil(Math.log10(low) - 1e-9);
  const last = Math.floor(Math.log10(high) + 1e-9);
  const decades = last - first + 1;
  if (decades * 2 <= count) return logFill([low, high], count);
  const stride = Math.max(1, Math.ceil(decades / Math.max(1, count)));
  const ticks: number[] = [];
  for (let power = Math.ceil(first / stride) * stride; power <= last; power += stride) ticks.push(powerOfTen(power));
  return ticks;
}

function powerOfTen(power: number): number {
  return Number(`1e${power}`);
}

function logFill([low, high]: Range, count: number): number[] {
  const ticks: number[] = [];
  for (let power = Math.floor(Math.log10(low)); power <= Math.log10(high); power++) {
    for (const factor of [1, 2, 5]) {
      const tick = Number((factor * powerOfTen(power)).toPrecision(3));
      if (tick >= low && tick <= high) ticks.push(tick);
    }
  }
  return ticks.length >= 2 ? ticks : linearTicks([low, high], count);
}

/** Ticks at whole seconds, minutes, hours, days of a duration in seconds. */
export function durationTicks(range: Range, count: number): number[] {
  const width = range[1] - range[0];
  if (!(width > 0)) return [];
  const rough = width / Math.max(1, count);
  if (rough < 1) return linearTicks(range, count);
  const step = SECOND_STEPS.find((candidate) => candidate >= rough) ?? 86400 * niceStep(width / 86400, count);
  return multiples(range, step);
}

/** Ticks of the clock on the wall: like durations, but aligned to local midnight. */
export function wallTicks(range: Range, count: number, offsetSeconds: number): number[] {
  const shifted: Range = [range[0] + offsetSeconds, range[1] + offsetSeconds];
  return durationTicks(shifted, count).map((tick) => tick - offsetSeconds);
}
