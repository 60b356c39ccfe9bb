// SPDX-License-Identifier: Apache-2.0
export type ChartSize = "small" | "medium" | "large";

const MIN_WIDTH: Record<ChartSize, number> = { small: 260, medium: 360, large: 560 };
export const LEAST_HEIGHT: Record<ChartSize, number> = { small: 190, medium: 248, large: 340 };

/** Width over height of a chart beyond which it shows no more for its width. */
const WIDEST = 3;
/** Cards are at most this much higher than wide. */
const TALLEST = 1.1;

/** What a page says of its cards: the height that they do not exceed, and the width over height beyond which they show no more. */
export interface CardLimits {
  tallest?: number | undefined;
  widest?: number | undefined;
}

export interface GridShape {
  columns: number;
  /** Height of a card in pixels. */
  height: number;
}

/**
 * Columns and height of cards: even over a page, and few charts take the room that there is, in as many columns as show
 * most of them. `sections` are the numbers of charts under each heading. Cards are at least as high as their size says.
 */
export function gridShape(
  size: ChartSize,
  sections: readonly number[],
  room: { width: number; height: number },
  { tallest = Infinity, widest = WIDEST }: CardLimits = {},
): GridShape {
  const fitting = Math.max(1, Math.floor(room.width / MIN_WIDTH[size]));
  const most = Math.max(1, Math.min(fitting, Math.max(0, ...sections)));
  const height = (columns: number): number => grownHeight(sections, columns, room, tallest);
  const grown = Array.from({ length: most }, (_, index) => most - index).filter((columns) => height(columns) >= LEAST_HEIGHT[size]);
  if (grown.length === 0) return { columns: most, height: LEAST_HEIGHT[size] };
  const seen = (columns: number): number => seenShare(sections, columns, height(columns), widest, room);
  const columns = grown.reduce((best, other) => (seen(other) > seen(best) ? other : best));
  return { columns, height: height(columns) };
}

/** Height of cards that share all of the room. */
function grownHeight(sections: readonly number[], columns: number, room: { width: number; height: number }, tallest: number): number {
  const rows = sections.reduce((sum, charts) => sum + Math.ceil(charts / columns), 0);
  return Math.min(Math.floor(room.height / Math.max(1, rows)), Math.round((room.width / columns) * TALLEST), tallest);
}

/** How much of the room shows something: a card that is very wide shows as much as one that is less so. */
function seenShare(
  sections: readonly number[],
  columns: number,
  height: number,
  widest: number,
  room: { width: number; height: number },
): number {
  const width = Math.min(room.width / columns, widest * height);
  const cards = sections.reduce((sum, charts) => sum + charts, 0);
  return (cards * width * height) / (room.width * room.height);
}
