// SPDX-License-Identifier: Apache-2.0
import { modelLineage } from "../../state/view/modelLineage.svelte";
import { view } from "../../state/view/view.svelte";
import { COMPUTED, computedColumn, shownColumn } from "./shownColumns";
import type { ShownColumn } from "./shownColumns";

/** The ids of the shown columns in their order, pinned ones first. */
export function shownIds(): string[] {
  const { columns, pinned } = view.lineage;
  const ids =
    columns === null
      ? [...(modelLineage.target ? [COMPUTED[0]!] : []), ...modelLineage.columns.map(({ id }) => id), COMPUTED[2]!]
      : [...columns];
  return [...pinned.filter((id) => ids.includes(id)), ...ids.filter((id) => !pinned.includes(id))];
}

/** The columns of the table, with those that are computed. */
export function shownColumns(): ShownColumn[] {
  return shownIds().flatMap((id) => {
    const column = modelLineage.table?.columns.get(id);
    return column ? shownColumn(column) : (computedColumn(id) ?? []);
  });
}

export function hideColumn(id: string): void {
  view.setLineage({ columns: shownIds().filter((other) => other !== id), pinned: view.lineage.pinned.filter((other) => other !== id) });
}

/** Pinned columns stay at the left, in the order in which they were pinned. */
export function setPinned(id: string, isPinned: boolean): void {
  const others = view.lineage.pinned.filter((other) => other !== id);
  view.setLineage({ pinned: isPinned ? [...others, id] : others });
}

/** Moves a column before another one; a column that is moved among the pinned ones is pinned too. */
export function moveColumn(id: string, before: string): void {
  if (id === before) return;
  const { pinned } = view.lineage;
  const isRight = shownIds().indexOf(id) < shownIds().indexOf(before);
  const into = (ids: readonly string[]): string[] => {
    const rest = ids.filter((other) => other !== id);
    return rest.toSpliced(rest.indexOf(before) + (isRight ? 1 : 0), 0, id);
  };
  const staysPinned = pinned.includes(before);
  view.setLineage({ columns: into(shownIds()), pinned: staysPinned ? into(pinned) : pinned.filter((other) => other !== id) });
}

/** Moves a column by one place to the left (-1) or to the right (1). */
export function movePlace(id: string, by: -1 | 1): void {
  const ids = shownIds();
  const other = ids[ids.indexOf(id) + by];
  if (other !== undefined) moveColumn(id, other);
}
