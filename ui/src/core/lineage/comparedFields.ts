// SPDX-License-Identifier: Apache-2.0
import { cellText, type ColumnGroup, type LineageCell, type LineageColumn } from "./column";
import type { LineageTable } from "./lineageTable";
import { COLUMN_GROUPS, offeredColumns } from "./tableColumns";

/** What a field of a run is about, in the order of a comparison. */
export const FIELD_SUBJECTS = ["results", "settings", "code", "environment", "run"] as const;
export type FieldSubject = (typeof FIELD_SUBJECTS)[number];

/** A field of two runs; null where a run lacks it. */
export interface ComparedField {
  column: Pick<LineageColumn, "id" | "name" | "group">;
  cells: readonly [LineageCell, LineageCell];
  differs: boolean;
}

const CODE = /^fact\/(git_|command_line$)/;
const ENVIRONMENT = /^fact\/(versions\.|(host|os|cpus|python|directory|device|devices|world_size|rank)$)/;
const RESULTS: readonly ColumnGroup[] = ["metric", "scalar"];
/** MindSpore has the last loss beside the network. */
export const LAST_LOSS = "algorithm/loss";

export function subjectOf({ id, group }: Pick<LineageColumn, "id" | "group">): FieldSubject {
  if (RESULTS.includes(group) || id === LAST_LOSS) return "results";
  if (group !== "fact") return "settings";
  return CODE.test(id) ? "code" : ENVIRONMENT.test(id) ? "environment" : "run";
}

/** Of the statistics of a curve, the last value and the best one are results; the others say where and how it got there. */
function isOffered({ id, group, goal }: LineageColumn): boolean {
  return group !== "scalar" || id.endsWith(":last") || id.endsWith(`:${goal}`);
}

/** The fields that one of two runs has, by subject, those that differ first. */
export function comparedFields(
  table: LineageTable,
  pair: readonly [string, string],
): Readonly<Record<FieldSubject, readonly ComparedField[]>> {
  const rows = pair.map((run) => table.rowOf.get(run) ?? -1);
  const fields = COLUMN_GROUPS.flatMap((group) => offeredColumns(table).filter((column) => column.group === group && isOffered(column)))
    .map((column) => comparedField(column, column.cells[rows[0]!] ?? null, column.cells[rows[1]!] ?? null))
    .filter(({ cells: [one, other] }) => one !== null || other !== null)
    .sort((one, other) => Number(other.differs) - Number(one.differs));
  const groups = Map.groupBy(fields, ({ column }) => subjectOf(column));
  return Object.fromEntries(FIELD_SUBJECTS.map((subject) => [subject, groups.get(subject) ?? []])) as Record<FieldSubject, ComparedField[]>;
}

export function comparedField(column: ComparedField["column"], one: LineageCell, other: LineageCell): ComparedField {
  return { column, cells: [one, other], differs: cellText(one) !== cellText(other) };
}
