// SPDX-License-Identifier: Apache-2.0
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
