// SPDX-License-Identifier: Apache-2.0
/** A column by which a table is sorted, by its key. */
export interface ColumnSort {
  column: string;
  isDescending: boolean;
}

/** What a press on the head of a column does: one direction, the other one, then again as it was. */
export function nextSort(sort: ColumnSort | null, column: string, descendsFirst = false): ColumnSort | null {
  if (sort?.column !== column) return { column, isDescending: descendsFirst };
  return sort.isDescending === descendsFirst ? { column, isDescending: !descendsFirst } : null;
}

/** The order after a press on a head; with Shift, the column is one more after the others. */
export function pressedSort(
  sorts: readonly ColumnSort[],
  column: string,
  { isMore, descendsFirst }: { isMore: boolean; descendsFirst: boolean },
): ColumnSort[] {
  const own = sorts.find((one) => one.column === column) ?? null;
  const next = nextSort(own, column, descendsFirst);
  if (!isMore) return next ? [next] : [];
  if (own && next) return sorts.map((one) => (one === own ? next : one));
  return [...sorts.filter((one) => one !== own), ...(next ? [next] : [])];
}
