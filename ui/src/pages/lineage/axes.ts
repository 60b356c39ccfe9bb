// SPDX-License-Identifier: Apache-2.0
import type { LineageColumn } from "../../core/lineage/column";
import type { LineageTable } from "../../core/lineage/lineageTable";
import { proposedAxes } from "../../core/lineage/tableColumns";
import type { AxisChoice } from "../../core/view/lineageView";
import { modelLineage } from "../../state/view/modelLineage.svelte";
import { view } from "../../state/view/view.svelte";

const MOST_PROPOSED = 9;

/** The axes of the parallel coordinates: the chosen ones that exist, or those that are worth a look. */
export function shownAxes(table: LineageTable): readonly AxisChoice[] {
  const { axes } = view.lineage;
  if (axes !== null) return axes.filter(({ column }) => table.columns.has(column));
  const ids = proposedAxes(table, modelLineage.target?.id ?? null, MOST_PROPOSED);
  return ids.map((column) => ({ column, scale: null, isTurned: false }));
}

interface ChartColumns {
  x: LineageColumn | null;
  y: LineageColumn | null;
}

/**
 * The columns of a chart over two of them: the chosen ones, else settings that differ, those of most runs first.
 * `isOfTarget`: the chart shows the target over them, so that it is neither.
 */
export function chartColumns(table: LineageTable, x: string | null, y: string | null, isOfTarget = false): ChartColumns {
  const target = modelLineage.target?.id ?? null;
  const settings = proposedAxes(table, target, MOST_PROPOSED).filter((id) => id !== target && table.columns.get(id)?.group !== "metric");
  const usable = (id: string | null): string | null => (id !== null && table.columns.has(id) && !(isOfTarget && id === target) ? id : null);
  const chosenY = usable(y);
  const first = usable(x) ?? settings.find((id) => id !== chosenY) ?? null;
  const second = chosenY ?? settings.find((id) => id !== first) ?? null;
  const columnOf = (id: string | null): LineageColumn | null => (id === null ? null : (table.columns.get(id) ?? null));
  return { x: columnOf(first), y: columnOf(second) };
}
