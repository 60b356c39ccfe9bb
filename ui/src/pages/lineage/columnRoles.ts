// SPDX-License-Identifier: Apache-2.0
import type { LineageColumn } from "../../core/lineage/column";
import { modelLineage } from "../../state/view/modelLineage.svelte";
import { view } from "../../state/view/view.svelte";
import { shownAxes } from "./axes";

/** Uses a column of the table in the charts. */
export function chooseColumn(role: "axis" | "color", column: LineageColumn): void {
  if (role === "color") view.setLineage({ color: column.id });
  else toggleAxis(column.id);
}

/** Adds a column to the parallel coordinates, or removes it. */
export function toggleAxis(id: string): void {
  if (!modelLineage.table) return;
  const axes = shownAxes(modelLineage.table);
  const rest = axes.filter(({ column }) => column !== id);
  view.setLineage({
    axes: rest.length < axes.length ? rest : [...axes, { column: id, scale: null, isTurned: false }],
    chart: "coordinates",
  });
}
