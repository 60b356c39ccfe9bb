// SPDX-License-Identifier: Apache-2.0
import { countValues, type ColumnGroup, type LineageColumn } from "./column";
import type { LineageTable } from "./lineageTable";

/** Groups of columns in the order of the table. */
export const COLUMN_GROUPS: readonly ColumnGroup[] = ["parameter", "dataset", "algorithm", "model", "metric", "scalar", "custom", "fact"];

/** The id of the column that names the run. */
export const RUN_COLUMN = "run";
/** What people set before a training. */
const SETTINGS: readonly ColumnGroup[] = ["parameter", "custom"];

/** Whether the goal of a column can be reached: it has numbers. */
export function isNumeric({ kind }: LineageColumn): boolean {
  return kind === "int" || kind === "float";
}

/** Every column but that of the names, by group. */
export function offeredColumns(table: LineageTable): readonly LineageColumn[] {
  return [...table.columns.values()].filter(({ id }) => id !== RUN_COLUMN);
}

/** Columns of some groups, of most runs first. */
export function columnsOf(table: LineageTable, groups: readonly ColumnGroup[]): LineageColumn[] {
  return offeredColumns(table)
    .filter(({ group }) => groups.includes(group))
    .sort((one, other) => other.count - one.count);
}

/** The proposed target: the first metric that differs and has values for most runs; null without one. */
export function proposedMetric(table: LineageTable): string | null {
  const metrics = columnsOf(table, ["metric"]).filter((column) => isNumeric(column) && column.low !== null);
  return metrics.sort((one, other) => Number(other.differs) - Number(one.differs))[0]?.id ?? null;
}

/** The end of a name that most sweeps vary. */
const USUAL =
  /(^|[^a-z])(lr|learning_?rate|batch_?size|optim(izer)?|weight_?decay|momentum|dropout|epochs?|(num_?)?layers|depth|width|hidden(_?size)?|warmup(_?steps)?|loss_?function|model|network|arch(itecture)?)([._](name|type|_?class))?$/i;
/** It repeats a training, and makes no other one. */
const SEED = /(^|[^a-z])seed$/i;
/** Texts with more values, in more than half of the runs, are names. */
const MOST_NAMES = 12;

/** The settings that are worth a look beside the name of a run: at most `most` of those that differ, in the order of the table. */
export function proposedSettings(table: LineageTable, most: number): string[] {
  const settings = offeredColumns(table).filter((column) => SETTINGS.includes(column.group) && hasSeveralValues(column) && !isName(column));
  const top = settings.reduce((count, column) => Math.max(count, column.count), 0);
  const place = ({ name, count }: LineageColumn): number => (count < top / 2 ? 4 : 0) + (SEED.test(name) ? 2 : USUAL.test(name) ? 0 : 1);
  const chosen = [...settings].sort((one, other) => place(one) - place(other) || other.count - one.count).slice(0, most);
  return settings.filter((column) => chosen.includes(column)).map(({ id }) => id);
}

function isName(column: LineageColumn): boolean {
  if (isNumeric(column)) return false;
  const values = countValues(column);
  return values > MOST_NAMES && values > column.count / 2;
}

/** Two runs have different values, apart from runs without one. */
function hasSeveralValues(column: LineageColumn): boolean {
  return isNumeric(column) ? column.low !== column.high : countValues(column) > 1;
}

/** The proposed axes: settings with several values, those of most runs first, then the target last. */
export function proposedAxes(table: LineageTable, target: string | null, most: number): string[] {
  const settings = offeredColumns(table).filter(
    ({ id, group, differs }) => differs && id !== target && group !== "fact" && group !== "metric",
  );
  const usual = settings.filter((column) => column.group !== "scalar" && hasSeveralValues(column));
  const results = offeredColumns(table).filter(({ id, group, differs }) => differs && id !== target && group === "metric");
  const byCount = usual.sort((one, other) => other.count - one.count).slice(0, most - 1);
  const rest = results.slice(0, Math.max(0, Math.min(2, most - 1 - byCount.length)));
  const order = new Map(offeredColumns(table).map(({ id }, index) => [id, index]));
  const chosen = [...byCount, ...rest].sort((one, other) => order.get(one.id)! - order.get(other.id)!).map(({ id }) => id);
  return target === null ? chosen : [...chosen, target];
}
