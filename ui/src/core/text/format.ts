// SPDX-License-Identifier: Apache-2.0
const MINUS = "\u2212";
const PREFIXES: readonly [number, string][] = [
  [1e12, "T"],
  [1e9, "G"],
  [1e6, "M"],
  [1e3, "k"],
];

/** A value to read: up to `digits` significant digits, exponents only where zeros would have to be counted. */
export function formatValue(value: number | null | undefined, digits = 4): string {
  if (value === null || value === undefined) return "–";
  if (Number.isNaN(value)) return "NaN";
  if (!Number.isFinite(value)) return value > 0 ? "+Inf" : `${MINUS}Inf`;
  if (value === 0) return "0";
  const size = Math.abs(value);
  const text = size >= 1e7 || size < 1e-3 ? exponential(value, digits) : fixed(value, size, digits);
  return text.replace("-", MINUS).replace("e-", `e${MINUS}`);
}

/** The value of one point: a whole number in all its digits, everything else as `formatValue` has it. */
export function formatPoint(value: number | null | undefined): string {
  if (typeof value !== "number" || !Number.isSafeInteger(value) || Math.abs(value) < 1e7) return formatValue(value);
  return groupDigits(value).replace("-", MINUS);
}

function fixed(value: number, size: number, digits: number): string {
  if (Number.isInteger(value)) return groupDigits(value);
  const decimals = Math.max(0, digits - 1 - Math.floor(Math.log10(size)));
  return value.toFixed(Math.min(decimals, 12));
}

function exponential(value: number, digits: number): string {
  const [mantissa, power] = value.toExponential(digits - 1).split("e") as [string, string];
  return `${mantissa.includes(".") ? mantissa.replace(/\.?0+$/, "") : mantissa}e${Number(power)}`;
}

/** Beyond these sizes a setting has an exponent; below the last one, if its digits are longer than that. */
const [LARGE_SETTING, TINY_SETTING, SMALL_SETTING, LONGEST_SETTING] = [1e15, 1e-4, 1e-3, 8];

/** A setting as the user wrote it, a whole number in all its digits, others in up to five: 0.1, 25600000, 5.711e-5. */
export function formatSetting(value: number): string {
  if (!Number.isFinite(value) || value === 0) return formatValue(value);
  const size = Math.abs(value);
  const isWhole = Number.isInteger(value) || size >= 1e5;
  const digits = String(isWhole ? Math.round(size) : Number(size.toPrecision(5)));
  const isLong = size < TINY_SETTING || size >= LARGE_SETTING || (size < SMALL_SETTING && digits.length > LONGEST_SETTING);
  return (value < 0 ? MINUS : "") + (isLong ? exponential(size, 4).replace("-", MINUS) : digits);
}

/** Whole numbers with thin groups: 12 345. */
export function groupDigits(value: number): string {
  return String(Math.trunc(value)).replace(/\B(?=(\d{3})+$)/g, "\u2009");
}

/** Labels of ticks, all with the same number of decimals so that they line up: 0.5 and 1.0, 1k and 1.5k, 1e-3. */
export function formatTicks(ticks: readonly number[]): string[] {
  const largest = Math.max(0, ...ticks.map(Math.abs));
  const step = ticks.length > 1 ? Math.abs(ticks[1]! - ticks[0]!) : largest;
  if (largest > 0 && (largest < 1e-3 || largest >= 1e15)) return ticks.map((tick) => shortExponential(tick, step));
  const prefix = PREFIXES.find(([size]) => largest >= size * (size === 1e3 ? 10 : 1)) ?? ([1, ""] as const);
  const decimals = decimalsFor(step / prefix[0]);
  return ticks.map((tick) => (tick === 0 ? "0" : (tick / prefix[0]).toFixed(decimals).replace("-", MINUS) + prefix[1]));
}

function decimalsFor(step: number): number {
  if (!(step > 0)) return 0;
  for (let decimals = 0; decimals < 12; decimals++) {
    const scaled = step * 10 ** decimals;
    if (Math.abs(scaled - Math.round(scaled)) < 1e-6 * scaled) return decimals;
  }
  return 12;
}

function shortExponential(tick: number, step: number): string {
  if (tick === 0) return "0";
  const power = Number(tick.toExponential().split("e")[1]);
  return exponential(tick, Math.min(6, decimalsFor(step / 10 ** power)) + 1).replaceAll("-", MINUS);
}

/** Logarithmic ticks are far apart, so each is formatted on its own. */
export function formatLogTick(tick: number): string {
  if (tick >= 1e4 || tick < 1e-2) return exponential(tick, 2).replace("-", MINUS);
  return String(Number(tick.toPrecision(3)));
}

/** 1536 -> 1.5 KiB. */
export function formatBytes(bytes: number): string {
  const units = ["B", "KiB", "MiB", "GiB", "TiB"];
  let size = bytes;
  let unit = 0;
  while (size >= 1024 && unit < units.length - 1) {
    size /= 1024;
    unit++;
  }
  return `${unit === 0 || size >= 100 ? Math.round(size) : size.toFixed(1)} ${units[unit]}`;
}

/** 5460000 -> 5.46M, for counts that only need a size; 9.22e18 from 10^15 on. */
export function formatCount(count: number): string {
  if (count < 10000) return groupDigits(count);
  if (count >= 1e15) return exponential(count, 3);
  const [size, letter] = PREFIXES.find(([candidate]) => count >= candidate)!;
  return `${Number((count / size).toPrecision(3))}${letter}`;
}
