// SPDX-License-Identifier: Apache-2.0
export type ChartSize = "small" | "medium" | "large";

const MIN_WIDTH: Record<ChartSize, number> = { small: 260, medium: 360, large: 560 };
const HEIGHT: Record<ChartSize, number> = { small: 190, medium: 248, large: 340 };

/** From this many rows on the page scrolls anyway. */
const MANY_ROWS = 3;

export interface GridShape {
  columns: number;
  /** Height of a card in pixels. */
  height: number;
}

/**
 * Columns and height of cards: even over a page, and few charts take the room that there is. `sections` are the
 * numbers of charts under each heading. Cards are no higher than `tallest`, but at least as high as their size says.
 */
export function gridShape(size: ChartSize, sections: readonly number[], room: { width: number; height: number }, tallest = Infinity): GridShape {
  const fitting = Math.max(1, Math.floor(room.width / MIN_WIDTH[size]));
  const columns = Math.max(1, Math.min(fitting, Math.max(0, ...sections)));
  const rows = sections.reduce((sum, charts) => sum + Math.ceil(charts / columns), 0);
  const share = Math.floor(room.height / Math.max(1, rows));
  const limit = Math.min(Math.round((room.width / columns) * 0.72), 760);
  return { columns, height: rows <= MANY_ROWS ? Math.max(HEIGHT[size], Math.min(share, limit, tallest)) : HEIGHT[size] };
}
