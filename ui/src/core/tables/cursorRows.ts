// SPDX-License-Identifier: Apache-2.0
import type { Curve } from "../series/curve";
import type { Center, Group, Spread } from "../series/groupStatistics";
import { nearestRow } from "../series/nearest";
import type { Series } from "../series/series";
import { seriesSummary } from "../series/seriesSummary";
import { groupPoint, groupSummary } from "./groupTable";

/** Where a table under a chart reads its lines: at the cursor, without one at the last row of what is visible. */
export interface CursorPlace {
  cursor: number | null;
  range: readonly [number, number] | null;
}

/** A line of a chart at the cursor. What a line does not have is null. */
export interface CursorRow extends Pick<Curve, "key" | "color" | "dash" | "part"> {
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
  runs: number;
  minimum: number | null;
  maximum: number | null;
  points: number;
}

const NOTHING = { x: null, value: null, smoothed: null, step: null, relative: null, difference: null, low: null, high: null, count: null };

/** The row of a line at a place, -1 without one. */
export function rowAt({ x, isAscending }: Pick<Curve, "x" | "isAscending">, { cursor, range }: CursorPlace): number {
  if (cursor !== null) return nearestRow(x, cursor, isAscending);
  return range === null ? x.length - 1 : x.findLastIndex((at) => at >= range[0] && at <= range[1]);
}

/** Lines of runs; `series` are parallel to the curves. With a baseline the curves are differences, and `values` what they are of. */
export function runRows(
  curves: readonly Curve[],
  series: readonly Series[],
  values: readonly Series[] | null,
  place: CursorPlace,
): CursorRow[] {
  const absolute = new Map(values?.map((one) => [JSON.stringify([one.run, one.tag]), one] as const));
  return curves.map((curve, index) => {
    const line = series[index]!;
    const row = rowAt(curve, place);
    const { minimum, maximum, points } = seriesSummary(line, place.range && { places: curve.x, range: place.range });
    const facts = {
      key: curve.key,
      color: curve.color,
      dash: curve.dash,
      part: curve.part,
      name: line.run,
      runs: 1,
      minimum,
      maximum,
      points,
    };
    if (row < 0) return { ...facts, ...NOTHING };
    const source = values === null ? line : absolute.get(JSON.stringify([line.run, line.tag]));
    const at = values === null || !source ? row : nearestRow(source.step, line.step[row]!);
    const relative = line.start_wall_time === null ? NaN : line.wall_time[row]! - line.start_wall_time;
    return {
      ...facts,
      ...NOTHING,
      x: curve.x[row]!,
      value: source?.value[at] ?? null,
      smoothed: source?.smoothed?.[at] ?? null,
      step: line.step[row]!,
      relative: Number.isFinite(relative) ? relative : null,
      difference: values === null ? null : line.value[row]!,
    };
  });
}

/** Lines of groups, parallel to `groups`. With a baseline the curves are differences, and `values` what they are of. */
export function groupRows(
  curves: readonly Curve[],
  groups: readonly Group[],
  values: readonly Group[] | null,
  { center, spread }: { center: Center; spread: Spread },
  place: CursorPlace,
): CursorRow[] {
  return curves.map((curve, index) => {
    const group = groups[index]!;
    const row = rowAt(curve, place);
    const { runs, lowest, highest, points } = groupSummary(group, center);
    const facts = { key: curve.key, color: curve.color, dash: curve.dash, part: curve.part, name: group.key };
    const rest = { runs, minimum: lowest, maximum: highest, points };
    const point = groupPoint(group, row, center, spread);
    if (!point) return { ...facts, ...rest, ...NOTHING };
    const source = values === null ? group : values.find(({ key, part }) => key === group.key && part === group.part);
    const {
      center: value = null,
      low = null,
      high = null,
    } = source ? (groupPoint(source, nearestRow(source.x, point.x), center, spread) ?? {}) : {};
    const difference = values === null ? null : point.center;
    return { ...facts, ...rest, ...NOTHING, x: point.x, value, low, high, count: point.count, difference };
  });
}

const HEAD_HEIGHT = 29;
const ROW_HEIGHT = 20;
const MOST_ROWS = 8;

/** Height of a table of so many lines in pixels: it scrolls where there are many. */
export function tableHeight(lines: number): number {
  return lines === 0 ? 0 : HEAD_HEIGHT + ROW_HEIGHT * Math.min(MOST_ROWS, lines);
}
