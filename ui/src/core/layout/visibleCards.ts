// SPDX-License-Identifier: Apache-2.0
import { gridShape, type CardLimits, type ChartSize, type GridShape } from "./cardGrid";
import { rowWindow } from "./visibleRows";

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
  /** Its cards take the room of two: they have several axes. */
  isWide?: boolean;
}

/** The part of a page of cards that is scrolled into sight. */
export interface CardViewport {
  top: number;
  width: number;
  height: number;
}

export const SECTION_HEAD = 32;
const SPARE_ROWS = 1;

/** Which rows of cards a scrolled viewport needs, section by section: ten thousand cards must not be ten thousand elements. */
export function visibleRows(
  sections: readonly { rows: number; head: number }[],
  rowHeight: number,
  viewport: { top: number; height: number },
): HeldRows[] {
  let top = 0;
  return sections.map(({ rows, head }) => {
    const start = top + head;
    top = start + rows * rowHeight;
    const isFar = top < viewport.top - rowHeight || start > viewport.top + viewport.height + rowHeight;
    return isFar ? { first: 0, end: 0 } : rowWindow(rows, rowHeight, { top: viewport.top - start, height: viewport.height }, SPARE_ROWS);
  });
}

/** Columns of one section. */
export function sectionColumns({ isWide }: Pick<CardSection<unknown>, "isWide">, { columns }: GridShape): number {
  return isWide ? Math.ceil(columns / 2) : columns;
}

/** Where each section begins, in pixels of the scrolled content. */
export function sectionTops(
  sections: readonly CardSection<unknown>[],
  isOpen: (section: CardSection<unknown>) => boolean,
  shape: GridShape,
): number[] {
  let top = 0;
  return sections.map((section) => {
    const start = top;
    top +=
      (section.isHeadless ? 0 : SECTION_HEAD) +
      (isOpen(section) ? Math.ceil(section.items.length / sectionColumns(section, shape)) * shape.height : 0);
    return start;
  });
}

/** Shape of all cards of a page: closed sections take the room of their heads only. */
export function cardShape(
  sections: readonly CardSection<unknown>[],
  isOpen: (section: CardSection<unknown>) => boolean,
  size: ChartSize,
  room: { width: number; height: number },
  limits: CardLimits = {},
): GridShape {
  const heads = sections.filter(({ isHeadless }) => !isHeadless).length * SECTION_HEAD;
  return gridShape(
    size,
    sections.filter(isOpen).map(({ items }) => items.length),
    { ...room, height: room.height - heads },
    limits,
  );
}

/** Which rows of each section are held. */
export function heldCards(
  sections: readonly CardSection<unknown>[],
  isOpen: (section: CardSection<unknown>) => boolean,
  shape: GridShape,
  viewport: CardViewport,
): HeldRows[] {
  const sizes = sections.map((section) => ({
    rows: isOpen(section) ? Math.ceil(section.items.length / sectionColumns(section, shape)) : 0,
    head: section.isHeadless ? 0 : SECTION_HEAD,
  }));
  return visibleRows(sizes, shape.height, viewport);
}
