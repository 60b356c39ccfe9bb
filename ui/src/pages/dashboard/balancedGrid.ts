// SPDX-License-Identifier: Apache-2.0
/** Rows of about the same number of cards, and how many columns the last card takes so that no room stays empty. */
export function balancedGrid(count: number, mostColumns: number): { columns: number; rows: number; lastSpan: number } {
  const rows = Math.max(1, Math.ceil(count / Math.max(1, mostColumns)));
  const columns = Math.max(1, Math.ceil(count / rows));
  return { columns, rows, lastSpan: count === 0 ? 1 : columns - ((count - 1) % columns) };
}
