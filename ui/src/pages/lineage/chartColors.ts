// SPDX-License-Identifier: Apache-2.0
import { suggestScale } from "../../core/lineage/column";
import type { ColorBy } from "../../core/lineage/lineColors";
import type { LineageTable } from "../../core/lineage/lineageTable";
import { goalOf, modelLineage } from "../../state/view/modelLineage.svelte";
import { colors } from "../../state/view/runColors.svelte";
import { view } from "../../state/view/view.svelte";

/** Colors by run rather than by a column. */
export const BY_RUN = "run";

/** What the charts are colored by: the chosen column, else the target, else a color for each run. */
export function colorColumn(): string {
  return view.lineage.color ?? modelLineage.target?.id ?? BY_RUN;
}

export function chartColors(table: LineageTable): ColorBy {
  const column = colorColumn() === BY_RUN ? undefined : table.columns.get(colorColumn());
  if (!column) return { colors: table.runs.map((run) => colors.of(run)) };
  return { column: { ...column, goal: goalOf(column) }, scale: suggestScale(column) };
}
