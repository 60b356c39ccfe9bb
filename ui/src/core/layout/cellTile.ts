// SPDX-License-Identifier: Apache-2.0
interface Window {
  first: number;
  end: number;
}

const ROWS = 64;
const COLUMNS = 32;

/** The cells to read for those in sight, in whole tiles: scrolling by a row does not read again. */
export function tileAround(rows: Window, columns: Window): { row: number; rows: number; column: number; columns: number } {
  const [row, height] = along(rows, ROWS);
  const [column, width] = along(columns, COLUMNS);
  return { row, rows: height, column, columns: width };
}

function along({ first, end }: Window, tile: number): [number, number] {
  const start = Math.floor(first / tile) * tile;
  return [start, Math.max(1, Math.ceil((end - start) / tile)) * tile];
}
