// SPDX-License-Identifier: Apache-2.0
import type { Curve } from "../series/curve";
import type { Center, Group, Spread } from "../series/groupStatistics";
import { nearestRow } from "../series/nearest";
import type { Series } from "../series/series";
import { groupPoint } from "./groupTable";

/** Where a table under a chart reads its lines: at the cursor, without one at the last row of what is visible. */
export interface CursorPlace {
  cursor: number | null;
  range: readonly [number, number] | null;
}

/** What the visible part of a line holds, wherever the cursor is. */
export interface LineExtremes {
  minimum: number | null;
  maximum: number | null;
  points: number | null;
}

/** A line of a chart at the cursor. What a line does not have is null. */
export interface CursorRow extends Pick<Curve, "key" | "color" | "dash" | "part">, LineExtremes {
  /** The run or group. */
  name: string;
  x: number | null;
  value: number | null;
  smoothed: number | null;
  step: number | null;
  /** Seconds since the start of the run. */
  relative: number | null;
  /** Value less the one of the baseline. */
  difference: number | null;
  low: number | null;
  high: number | null;
  /** Runs of a group with a value at the cursor, and all of them. */
  count: number | null;
  runs: number | null;
}

const EXTREMES = { minimum: null, maximum: null, points: null };
const NOTHING = { x: null, value: null, smoothed: null, step: null, relative: null, difference: null, low: null, high: null, count: null };

function emptyRow({ key, label, color, dash, part }: Curve): CursorRow {
  return { key, name: label, color, dash, part, ...NOTHING, ...EXTREMES, runs: null };
}

function rowAt({ x, isAscending }: Curve, { cursor, range }: CursorPlace): number {
  if (cursor !== null) return nearestRow(x, cursor, isAscending);
  return range === null ? x.length - 1 : x.findLastIndex((at) => at >= range[0] && at <= range[1]);
}

/**
 * Lines of runs; `series`, and `extremes` where they are wanted, are parallel to the curves. With a baseline the curves are
 * differences, and `values` what they are of.
 */
export function runRows(
  curves: readonly Curve[],
  series: readonly Series[],
  values: readonly Series[] | null,
  place: CursorPlace,
  extremes: readonly LineExtremes[] = [],
): CursorRow[] {
  const absolute = new Map(values?.map((one) => [`${one.run}\n${one.tag}`, one] as const));
  return curves.map((curve, index) => {
    const [line, row] = [series[index]!, rowAt(curve, place)];
    const whole = { ...emptyRow(curve), ...extremes[index] };
    if (row < 0) return whole;
    const source = values === null ? line : absolute.get(`${line.run}\n${line.tag}`);
    const at = source && source !== line ? nearestRow(source.step, line.step[row]!) : row;
    const relative = line.start_wall_time === null ? NaN : line.wall_time[row]! - line.start_wall_time;
    return {
      ...whole,
      x: curve.x[row]!,
      value: source?.value[at] ?? null,
      smoothed: source?.smoothed?.[at] ?? null,
      step: line.step[row]!,
      relative: Number.isFinite(relative) ? relative : null,
      difference: values === null ? null : line.value[row]!,
    };
  });
}

/** Lines of groups, parallel to `groups`, as those of runs. */
export function groupRows(
  curves: readonly Curve[],
  groups: readonly Group[],
  values: readonly Group[] | null,
  { center, spread }: { center: Center; spread: Spread },
  place: CursorPlace,
  extremes: readonly LineExtremes[] = [],
): CursorRow[] {
  return curves.map((curve, index) => {
    const group = groups[index]!;
    const whole = { ...emptyRow(curve), runs: group.runs, ...extremes[index] };
    const point = groupPoint(group, rowAt(curve, place), center, spread);
    if (!point) return whole;
    const source = values === null ? group : values.find(({ key, part }) => key === group.key && part === group.part);
    const at = source && groupPoint(source, nearestRow(source.x, point.x), center, spread);
    const difference = values === null ? null : point.center;
    return {
      ...whole,
      x: point.x,
      value: at?.center ?? null,
      low: at?.low ?? null,
      high: at?.high ?? null,
      count: point.count,
      difference,
    };
  });
}

const HEAD_HEIGHT = 29;
const ROW_HEIGHT = 20;
const MOST_ROWS = 8;

/** Height of a table of this many lines in pixels. A table of many lines scrolls. */
export function tableHeight(lines: number): number {
  return lines === 0 ? 0 : HEAD_HEIGHT + ROW_HEIGHT * Math.min(MOST_ROWS, lines);
}
