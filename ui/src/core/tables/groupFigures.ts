// SPDX-License-Identifier: Apache-2.0
import type { ColumnSort } from "./columnSort";
import type { FigureCell, FigureColumn, FigureRow } from "./figureTable";
import type { Center } from "../series/groupStatistics";
import { RUN_COLUMN } from "../lineage/tableColumns";
import { sortedByColumns } from "./sortByColumns";
import type { RunGroup } from "../runs/runGroups";

/** A column over the runs of a group: how a figure lies among them, or what a setting is of them together. */
export interface GroupCell {
  /** Of a figure, mean or median of the finite numbers; of a setting, what it sorts by. */
  value: FigureCell;
  /** Of a sample, that is over n - 1; null below two numbers. */
  deviation: number | null;
  low: number | null;
  high: number | null;
  /** How many finite numbers there are of a figure. */
  count: number;
}

/** A line of the table of groups: the head of a group, or a run below it. */
export type FigureLine =
  | { kind: "group"; key: string; group: string; runs: number; isOpen: boolean; cells: readonly GroupCell[] }
  | { kind: "run"; key: string; run: string; cells: readonly FigureCell[] };

interface Order {
  center: Center;
  sort: readonly ColumnSort[];
  isOpen: (group: string) => boolean;
  /** A setting of the runs of a group together, by the place of its column. */
  settingOf: (group: string, place: number) => FigureCell;
}

/** Heads of the groups, by the sorted columns where there are some, each with its runs below it where it is open. */
export function groupLines(
  rows: readonly FigureRow[],
  groups: readonly RunGroup[],
  columns: readonly Pick<FigureColumn, "key" | "figure">[],
  { center, sort, isOpen, settingOf }: Order,
): FigureLine[] {
  const heads = groups.map(({ key, runs }) => {
    const members = new Set(runs);
    const own = rows.filter(({ run }) => members.has(run));
    return {
      key,
      own,
      cells: columns.map((column, place): GroupCell => {
        if (column.figure === null) return { ...NOTHING, value: settingOf(key, place) };
        return spreadOf(
          own.map(({ cells }) => cells[place] ?? null),
          center,
        );
      }),
    };
  });
  const places = new Map(columns.map(({ key }, place) => [key, place]));
  const ordered = sortedByColumns(heads, sort, (column, { key, cells }) =>
    column === RUN_COLUMN ? key : (cells[places.get(column) ?? -1]?.value ?? null),
  );
  return ordered.flatMap(({ key, own, cells }): FigureLine[] => {
    const head: FigureLine = { kind: "group", key: `group ${key}`, group: key, runs: own.length, isOpen: isOpen(key), cells };
    return head.isOpen ? [head, ...own.map(runLine)] : [head];
  });
}

export function runLine({ run, cells }: FigureRow): FigureLine {
  return { kind: "run", key: run, run, cells };
}

const NOTHING: GroupCell = { value: null, deviation: null, low: null, high: null, count: 0 };

function spreadOf(cells: readonly FigureCell[], center: Center): GroupCell {
  const numbers = cells
    .filter((cell): cell is number => typeof cell === "number" && Number.isFinite(cell))
    .sort((one, other) => one - other);
  if (numbers.length === 0) return NOTHING;
  const mean = numbers.reduce((sum, number) => sum + number, 0) / numbers.length;
  const squares = numbers.reduce((sum, number) => sum + (number - mean) ** 2, 0);
  return {
    value: center === "mean" ? mean : median(numbers),
    deviation: numbers.length > 1 ? Math.sqrt(squares / (numbers.length - 1)) : null,
    low: numbers[0]!,
    high: numbers.at(-1)!,
    count: numbers.length,
  };
}

/** Of numbers that ascend. */
function median(numbers: readonly number[]): number {
  const half = numbers.length >> 1;
  return numbers.length % 2 === 1 ? numbers[half]! : (numbers[half - 1]! + numbers[half]!) / 2;
}
