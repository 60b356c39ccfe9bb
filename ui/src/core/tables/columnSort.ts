// SPDX-License-Identifier: Apache-2.0
/** A column by which a table is sorted, by its key. */
export interface ColumnSort {
  column: string;
  isDescending: boolean;
}

/** What a press on the head of a column does: up, down, then again as it was. */
export function nextSort(sort: ColumnSort | null, column: string): ColumnSort | null {
  if (sort?.column !== column) return { column, isDescending: false };
  return sort.isDescending ? null : { column, isDescending: true };
}

export function ariaSort(sort: ColumnSort | null, column: string): "ascending" | "descending" | "none" {
  if (sort?.column !== column) return "none";
  return sort.isDescending ? "descending" : "ascending";
}

/** Writes a sort into the address as `NAME_up` or `NAME_down`. */
export function describeSort(sort: ColumnSort | null, name: string, query: URLSearchParams): void {
  if (sort) query.append(`${name}_${sort.isDescending ? "down" : "up"}`, sort.column);
}

export function sortOf(name: string, query: URLSearchParams): ColumnSort | null {
  const [up, down] = [query.get(`${name}_up`), query.get(`${name}_down`)];
  if (down !== null) return { column: down, isDescending: true };
  return up === null ? null : { column: up, isDescending: false };
}
