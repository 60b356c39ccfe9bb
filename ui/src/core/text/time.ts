// SPDX-License-Identifier: Apache-2.0
const pad = (number: number, digits = 2): string => String(number).padStart(digits, "0");

/** Seconds as 0.25 s, 42 s, 3:05, 1:02:03, 2d 3:04. */
export function formatDuration(seconds: number): string {
  if (!Number.isFinite(seconds)) return "–";
  const sign = seconds < 0 ? "\u2212" : "";
  const size = Math.abs(seconds);
  if (size < 10) return `${sign}${Number(size.toFixed(size < 1 ? 3 : 2))} s`;
  const whole = Math.round(size);
  if (whole < 60) return `${sign}${whole} s`;
  const [days, hours, minutes, rest] = [Math.floor(whole / 86400), Math.floor(whole / 3600) % 24, Math.floor(whole / 60) % 60, whole % 60];
  if (days > 0) return `${sign}${days}d ${hours}:${pad(minutes)}`;
  return hours > 0 ? `${sign}${hours}:${pad(minutes)}:${pad(rest)}` : `${sign}${minutes}:${pad(rest)}`;
}

/** Labels of duration ticks in one unit: 0 s, 30 s; 1 min; 2 h; 3 d. */
export function formatDurationTicks(ticks: readonly number[]): string[] {
  const step = ticks.length > 1 ? ticks[1]! - ticks[0]! : Math.abs(ticks[0] ?? 1);
  const [size, unit] = durationUnit(step);
  return ticks.map((tick) => (tick === 0 ? "0" : `${Number((tick / size).toFixed(6))}\u2009${unit}`.replace("-", "\u2212")));
}

function durationUnit(step: number): [number, string] {
  if (step < 60) return [1, "s"];
  if (step < 3600) return [60, "min"];
  return step < 86400 ? [3600, "h"] : [86400, "d"];
}

/** Local time, as exact as the distance of the ticks requires; the date where the day changes. */
export function formatWallTicks(ticks: readonly number[]): string[] {
  const step = ticks.length > 1 ? ticks[1]! - ticks[0]! : 60;
  let day = "";
  return ticks.map((tick) => {
    const date = new Date(Math.round(tick * 1000)); // whole milliseconds: a Date cuts off what a float lacks
    const today = `${pad(date.getMonth() + 1)}-${pad(date.getDate())}`;
    const isNewDay = day !== "" && today !== day;
    day = today;
    if (step >= 86400) return today;
    const clock = `${pad(date.getHours())}:${pad(date.getMinutes())}${step < 60 ? `:${pad(date.getSeconds())}` : ""}`;
    return isNewDay && date.getHours() + date.getMinutes() === 0 ? today : clock + (step < 1 ? `.${pad(date.getMilliseconds(), 3)}` : "");
  });
}

/** 2026-11-21 03:04:05 in local time. */
export function formatWallTime(seconds: number): string {
  if (!Number.isFinite(seconds)) return "–";
  const date = new Date(seconds * 1000);
  const day = `${date.getFullYear()}-${pad(date.getMonth() + 1)}-${pad(date.getDate())}`;
  return `${day} ${pad(date.getHours())}:${pad(date.getMinutes())}:${pad(date.getSeconds())}`;
}

const AGO_UNITS: readonly [number, Intl.RelativeTimeFormatUnit][] = [
  [86400 * 365, "year"],
  [86400 * 30, "month"],
  [86400, "day"],
  [3600, "hour"],
  [60, "minute"],
];

/** "3 min. ago" / "3分钟前"; under five seconds "now" / "现在". */
export function formatAgo(seconds: number, now: number, language: string): string {
  const format = agoFormat(language);
  const ago = now - seconds;
  if (ago < 5) return format.format(0, "second");
  const [size, unit] = AGO_UNITS.find(([candidate]) => ago >= candidate) ?? [1, "second" as const];
  return format.format(-Math.floor(ago / size), unit);
}

/** One of a language: making it takes longer than writing a column of times. */
const agoFormats = new Map<string, Intl.RelativeTimeFormat>();

function agoFormat(language: string): Intl.RelativeTimeFormat {
  const format = agoFormats.get(language) ?? new Intl.RelativeTimeFormat(language, { numeric: "auto", style: "short" });
  agoFormats.set(language, format);
  return format;
}

/** Seconds to add to the epoch so that days begin at local midnight. */
export function localOffsetSeconds(seconds: number): number {
  return -60 * new Date(seconds * 1000).getTimezoneOffset();
}
