// SPDX-License-Identifier: Apache-2.0
import { cellText, numberOf, type ColumnGroup, type LineageCell, type LineageColumn } from "../../core/lineage/column";
import { tagOfColumn } from "../../core/lineage/scalarColumns";
import { formatPoint, formatSetting } from "../../core/text/format";
import { formatDuration, formatWallTime } from "../../core/text/time";
import { textOr, t } from "../../i18n/i18n.svelte";

/** A cell in words for people; "–" for a missing one. */
export function cellWords(column: Pick<LineageColumn, "id" | "group">, cell: LineageCell): string {
  if (cell === null) return "–";
  const number = numberOf(cell);
  if (Array.isArray(cell)) return `[${cell.map((item: LineageCell) => cellWords(column, item)).join(", ")}]`;
  if (number === null) return column.id === "fact/state" ? stateWords(cellText(cell)) : cellText(cell);
  if (column.id === "fact/start") return formatWallTime(number);
  if (column.id === "fact/duration") return formatDuration(number);
  if (!Number.isFinite(number) || typeof cell !== "number") return Number.isFinite(number) ? cellText(cell) : formatPoint(number);
  return column.group === "metric" || column.group === "scalar" ? formatPoint(number) : formatSetting(number);
}

/** A cell in words with all of its digits. */
export function exactWords(column: Pick<LineageColumn, "id" | "group">, cell: LineageCell): string {
  const isTime = column.id === "fact/start" || column.id === "fact/state";
  return cell === null || isTime ? cellWords(column, cell) : cellText(cell);
}

/** What a column is about; null for a computed one. */
export function groupWords({ group }: { group: ColumnGroup | null }): string {
  return t(group === null ? "lineage.group_computed" : `lineage.group_${group}`);
}

function stateWords(state: string): string {
  return textOr(`state.${state}`, state);
}

/** The name of a metric that a column holds: a scalar whose last values it has is meant by its tag. */
export function metricTitle(column: Pick<LineageColumn, "id" | "name">): string {
  return column.id.endsWith(":last") ? (tagOfColumn(column.id) ?? columnTitle(column)) : columnTitle(column);
}

/** The name of a column without its group; a fact that we record is translated. */
export function columnTitle({ id, name }: Pick<LineageColumn, "id" | "name">): string {
  return textOr(`lineage.${id}`, name);
}
