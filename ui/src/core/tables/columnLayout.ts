// SPDX-License-Identifier: Apache-2.0
/**
 * What people changed of the columns of a table of runs. Columns are named by their ids, and every table of runs has the
 * same changes; a page adds its own columns, so that a new parameter appears although another column was moved.
 */
export interface ColumnLayout {
  /** Only the added columns are shown, none of a page's own. */
  isChosen: boolean;
  /** Columns beside a page's own. */
  added: readonly string[];
  hidden: readonly string[];
  /** Columns that were moved and their neighbors, in their order. */
  order: readonly string[];
  /** Columns that stay at the left, in this order. */
  pinned: readonly string[];
  /** Widths in CSS pixels that differ from those that fit. */
  widths: Readonly<Record<string, number>>;
}

export function defaultLayout(): ColumnLayout {
  return { isChosen: false, added: [], hidden: [], order: [], pinned: [], widths: {} };
}

/** Whether other columns are shown, or in another order, than a page has by itself. */
export function isRearranged({ isChosen, added, hidden, order, pinned }: ColumnLayout): boolean {
  return isChosen || [added, hidden, order, pinned].some((ids) => ids.length > 0);
}

/**
 * The columns of a table in their order, pinned ones first. `own` are those that the page has by itself; no other page has
 * those that are `kept`, which stay where columns of runs are chosen.
 */
export function arrangedColumns(
  own: readonly string[],
  { isChosen, added, hidden, order, pinned }: ColumnLayout,
  kept: readonly string[] = [],
): string[] {
  const left = new Set(hidden);
  const ids = [...new Set(isChosen ? [...added, ...kept] : [...added.filter((id) => !own.includes(id)), ...own])].filter(
    (id) => !left.has(id),
  );
  const ordered = merged(
    order.filter((id) => ids.includes(id)),
    ids,
  );
  const held = pinned.filter((id) => ids.includes(id));
  return [...held, ...ordered.filter((id) => !held.includes(id))];
}

/** Shows columns or hides them, on every page. */
export function withColumns(layout: ColumnLayout, own: readonly string[], ids: readonly string[], isShown: boolean): ColumnLayout {
  const others = (list: readonly string[]): string[] => list.filter((id) => !ids.includes(id));
  const { isChosen } = layout;
  if (isShown) {
    const added = ids.filter((id) => isChosen || !own.includes(id));
    return { ...layout, added: [...others(layout.added), ...added], hidden: others(layout.hidden) };
  }
  return {
    ...layout,
    added: others(layout.added),
    hidden: [...others(layout.hidden), ...(isChosen ? ids.filter((id) => !layout.added.includes(id)) : ids)],
    pinned: others(layout.pinned),
  };
}

/** No column, so that people choose the few that they want. */
export function withoutColumns(layout: ColumnLayout, kept: readonly string[] = []): ColumnLayout {
  return { ...defaultLayout(), isChosen: true, hidden: kept, widths: layout.widths };
}

export function withPinned(layout: ColumnLayout, id: string, isPinned: boolean): ColumnLayout {
  const others = layout.pinned.filter((other) => other !== id);
  return { ...layout, pinned: isPinned ? [...others, id] : others };
}

/** Moves a column to the place of another one of the shown columns; one that is moved among the pinned ones is pinned too. */
export function withMoved(layout: ColumnLayout, shown: readonly string[], id: string, place: string): ColumnLayout {
  if (id === place) return layout;
  const isRight = shown.indexOf(id) < shown.indexOf(place);
  const into = (ids: readonly string[]): string[] => {
    const rest = ids.filter((other) => other !== id);
    return rest.toSpliced(rest.indexOf(place) + (isRight ? 1 : 0), 0, id);
  };
  const pinned = layout.pinned.includes(place) ? into(layout.pinned) : layout.pinned.filter((other) => other !== id);
  return { ...layout, order: merged(into(shown), layout.order), pinned };
}

/** The column beside another one; null at the end. */
export function neighborOf(shown: readonly string[], id: string, by: -1 | 1): string | null {
  return shown[shown.indexOf(id) + by] ?? null;
}

/** Null for the width that fits. */
export function withWidth(layout: ColumnLayout, id: string, width: number | null): ColumnLayout {
  const others = Object.entries(layout.widths).filter(([other]) => other !== id);
  return { ...layout, widths: Object.fromEntries(width === null ? others : [...others, [id, width]]) };
}

/** `first` with those of `ids` that it does not have, each after the one that it follows in `ids`. */
function merged(first: readonly string[], ids: readonly string[]): string[] {
  const known = new Set(first);
  if (ids.every((id) => known.has(id))) return [...first];
  const after = new Map<string | null, string[]>();
  let last: string | null = null;
  for (const id of ids) {
    if (known.has(id)) last = id;
    else after.set(last, [...(after.get(last) ?? []), id]);
  }
  return [...(after.get(null) ?? []), ...first.flatMap((id) => [id, ...(after.get(id) ?? [])])];
}
