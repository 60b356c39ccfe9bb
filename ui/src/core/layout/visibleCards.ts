// SPDX-License-Identifier: Apache-2.0
import { gridShape, LEAST_HEIGHT, type CardLimits, type ChartSize, type GridShape } from "./cardGrid";

/** Rendered rows of a section; `first` rows above are empty space. */
export interface HeldRows {
  first: number;
  end: number;
}

/** Cards under a heading, or without one. */
export interface CardSection<Item> {
  key: string;
  title: string;
  items: readonly Item[];
  isHeadless: boolean;
  /** It is folded until a person opens it. */
  startsClosed?: boolean;
  /** Its cards take the room of two: they have several axes. */
  isWide?: boolean;
  /** Height that a card needs beside that of the others, in pixels. */
  extraOf?: (item: Item) => number;
}

export const SECTION_HEAD = 32;
const SPARE_ROWS = 1;

/** Rows of cards under a heading: where each begins below it, and where the last one ends. */
export interface SectionRows {
  head: number;
  tops: readonly number[];
}

/** Which rows of cards a scrolled viewport needs, section by section: ten thousand cards must not be ten thousand elements. */
export function visibleRows(sections: readonly SectionRows[], viewport: { top: number; height: number }): HeldRows[] {
  let end = 0;
  return sections.map(({ head, tops }) => {
    const start = end + head;
    const rows = tops.length - 1;
    end = start + tops[rows]!;
    const from = viewport.top - start;
    const first = tops.findLastIndex((top) => top <= from) - SPARE_ROWS;
    const last = tops.findIndex((top) => top >= from + viewport.height);
    const held = { first: Math.max(0, first), end: last < 0 ? rows : Math.min(rows, last + SPARE_ROWS) };
    const near = tops[1] ?? 0;
    const isFar = held.first >= held.end || tops[held.end]! < from - near || tops[held.first]! > from + viewport.height + near;
    return isFar ? { first: 0, end: 0 } : held;
  });
}

/** Columns of one section. */
export function sectionColumns({ isWide }: Pick<CardSection<unknown>, "isWide">, { columns }: GridShape): number {
  return isWide ? Math.ceil(columns / 2) : columns;
}

/** The rows of a section: a row is as high as the card that needs most. */
export function sectionRows<Item>(section: CardSection<Item>, isOpen: boolean, shape: GridShape): SectionRows {
  const { items, isHeadless, extraOf } = section;
  const columns = sectionColumns(section, shape);
  const tops = [0];
  for (let item = 0; isOpen && item < items.length; item += columns) {
    const extra = extraOf ? Math.max(...items.slice(item, item + columns).map(extraOf)) : 0;
    tops.push(tops.at(-1)! + shape.height + extra);
  }
  return { head: isHeadless ? 0 : SECTION_HEAD, tops };
}

/** Where each section begins, in pixels of the scrolled content. */
export function sectionTops(sections: readonly SectionRows[]): number[] {
  let end = 0;
  return sections.map(({ head, tops }) => {
    const start = end;
    end += head + tops.at(-1)!;
    return start;
  });
}

/** Shape of all cards of a page: closed sections take the room of their heads only, and tables take theirs from the charts. */
export function cardShape<Item>(
  sections: readonly CardSection<Item>[],
  isOpen: (section: CardSection<Item>) => boolean,
  size: ChartSize,
  room: { width: number; height: number },
  limits: CardLimits = {},
): GridShape {
  const heads = sections.filter(({ isHeadless }) => !isHeadless).length * SECTION_HEAD;
  const shape = gridShape(
    size,
    sections.filter(isOpen).map(({ items }) => items.length),
    { ...room, height: room.height - heads },
    limits,
  );
  const rows = sections.map((section) => sectionRows(section, isOpen(section), shape));
  const count = rows.reduce((sum, { tops }) => sum + tops.length - 1, 0);
  const extra = rows.reduce((sum, { tops }) => sum + tops.at(-1)! - (tops.length - 1) * shape.height, 0);
  const height = Math.max(Math.min(shape.height, LEAST_HEIGHT[size]), shape.height - Math.ceil(extra / Math.max(1, count)));
  return { ...shape, height };
}
