// SPDX-License-Identifier: Apache-2.0
export type ChartSize = "small" | "medium" | "large";

const MIN_WIDTH: Record<ChartSize, number> = { small: 260, medium: 360, large: 560 };
const HEIGHT: Record<ChartSize, number> = { small: 190, medium: 248, large: 340 };

export interface GridShape {
  columns: number;
  /** Height of a card in pixels. */
  height: number;
}

/** Columns and height of cards: even over a page, and few charts take the room that there is. */
export function gridShape(size: ChartSize, charts: number, room: { width: number; height: number }): GridShape {
  const fitting = Math.max(1, Math.floor(room.width / MIN_WIDTH[size]));
  const columns = Math.max(1, Math.min(fitting, charts));
  const rows = Math.ceil(charts / columns);
  const share = Math.floor(room.height / Math.max(1, rows));
  const limit = Math.min(Math.round((room.width / columns) * 0.62), 560);
  return { columns, height: rows <= 3 ? Math.max(HEIGHT[size], Math.min(share, limit)) : HEIGHT[size] };
}
