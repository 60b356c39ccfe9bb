// SPDX-License-Identifier: Apache-2.0
import { niceStep } from "../scales/ticks";
import type { TimeRange } from "./timeRange";

const UNITS = [
  [1e9, "s"],
  [1e6, "ms"],
  [1e3, "µs"],
  [1, "ns"],
] as const;
const SPACE = "\u2009";
const MINUS = "\u2212";

/** Nanoseconds as 1.234 ms: four digits, in the unit that leaves one to three before the point. */
export function formatNs(ns: number): string {
  if (!Number.isFinite(ns)) return "–";
  if (ns === 0) return `0${SPACE}s`;
  const size = Math.abs(ns);
  const [one, unit] = UNITS.find(([least]) => size >= least * 0.99995) ?? UNITS[3];
  const value = size / one;
  const text = unit === "ns" ? String(Math.round(value)) : value.toPrecision(Math.max(4, String(Math.trunc(value)).length));
  return `${ns < 0 ? MINUS : ""}${text}${SPACE}${unit}`;
}

/** A time with as many digits as its uncertainty allows: +3.201958 s for ±15 µs. */
export function formatNsWithin(ns: number, uncertainty: number): string {
  const [one, unit] = UNITS.find(([least]) => Math.abs(ns) >= least) ?? UNITS[3];
  const digits = Math.min(9, Math.max(0, Math.ceil(Math.log10(one / Math.max(1, uncertainty))) + 1));
  const limit = Math.round(Math.log10(one));
  const text = (Math.abs(ns) / one).toFixed(Math.min(digits, limit));
  return `${ns > 0 ? "+" : ns < 0 ? MINUS : ""}${text}${SPACE}${unit}`;
}

/** All nanoseconds, in milliseconds: for tables and files. */
export function nsToMs(ns: number): number {
  return Math.round(ns) / 1e6;
}

export interface TimeTick {
  at: number;
  label: string;
}

/** Ticks of a range in nanoseconds since the begin of the timeline; at most `count`. */
export function timeTicks({ begin, end }: TimeRange, count: number): TimeTick[] {
  const step = Math.max(1, niceStep(end - begin, count));
  const first = Math.ceil(begin / step);
  const last = Math.floor(end / step);
  const most = Math.max(Math.abs(begin), Math.abs(end));
  const [size, unit] = UNITS.find(([least]) => step >= least / 1000 && most >= least) ?? UNITS[3];
  const decimals = Math.max(0, Math.ceil(-Math.log10(step / size) - 1e-9));
  return Array.from({ length: Math.max(0, last - first + 1) }, (_, index) => {
    const at = (first + index) * step;
    return { at, label: at === 0 ? "0" : `${(at / size).toFixed(decimals).replace("-", MINUS)}${SPACE}${unit}` };
  });
}
