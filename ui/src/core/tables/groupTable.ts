// SPDX-License-Identifier: Apache-2.0
import { csvTable } from "./csv";
import { bandOf, STATISTICS, type Center, type Group, type Spread } from "../series/groupStatistics";
import type { Floats } from "../series/series";
import { jsonNumbers } from "./json";

/** Statistics of a group at one x. */
export interface GroupPoint {
  key: string;
  part: string;
  x: number;
  center: number;
  /** Edges of the band; null without one, and where a single run has none. */
  low: number | null;
  high: number | null;
  count: number;
}

/** A group at a row; null where it has none. */
export function groupPoint(group: Group | undefined, row: number, center: Center, spread: Spread): GroupPoint | null {
  if (!group || row < 0 || row >= group.x.length) return null;
  const band = bandOf(group, center, spread);
  return {
    key: group.key,
    part: group.part,
    x: group.x[row]!,
    center: group[center][row]!,
    low: edgeAt(band?.low, row),
    high: edgeAt(band?.high, row),
    count: group.count[row]!,
  };
}

function edgeAt(edge: Floats | undefined, row: number): number | null {
  const value = edge?.[row];
  return value === undefined || Number.isNaN(value) ? null : value;
}

/** Figures of what is drawn of a group. */
export interface GroupSummary {
  key: string;
  runs: number;
  points: number;
  last: number | null;
  /** Smallest and largest value of any of its runs. */
  lowest: number | null;
  highest: number | null;
}

export function groupSummary(group: Group, center: Center): GroupSummary {
  const finite = (values: ArrayLike<number>): number[] => Array.from(values).filter(Number.isFinite);
  const [lows, highs] = [finite(group.low), finite(group.high)];
  return {
    key: group.key,
    runs: group.runs,
    points: group.points,
    last: group[center].at(-1) ?? null,
    lowest: lows.length > 0 ? lows.reduce((one, other) => Math.min(one, other)) : null,
    highest: highs.length > 0 ? highs.reduce((one, other) => Math.max(one, other)) : null,
  };
}

/** The statistics as they are drawn: a line for each group and place. */
export function groupsCsv(groups: readonly Group[]): string {
  const hasParts = groups.some(({ part }) => part !== "");
  const rows = groups.flatMap((group) =>
    [...group.x].map((x, row) => [group.key, ...(hasParts ? [group.part] : []), x, ...STATISTICS.map((column) => group[column][row]!)]),
  );
  return csvTable(["group", ...(hasParts ? ["tag"] : []), "x", ...STATISTICS], rows);
}

/** The same as JSON: a list of groups with their columns. */
export function groupsJson(groups: readonly Group[]): string {
  const named = groups.map((group) => ({
    group: group.key,
    ...(group.part === "" ? {} : { tag: group.part }),
    runs: group.runs,
    x: jsonNumbers(group.x),
    ...Object.fromEntries(STATISTICS.map((column) => [column, jsonNumbers(group[column])])),
  }));
  return `${JSON.stringify(named)}\n`;
}
