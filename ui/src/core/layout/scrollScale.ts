// SPDX-License-Identifier: Apache-2.0
/** Browsers lay out no element that is much higher than this. */
const MOST_PIXELS = 8_000_000;

/** Rows of equal height in a viewport, in CSS pixels. */
export interface RowScale {
  count: number;
  size: number;
  /** Height of the viewport. */
  height: number;
}

export interface ScaledRows {
  /** Height of what is scrolled, in pixels. */
  height: number;
  first: number;
  end: number;
  /** Where the first row is drawn, in pixels from the top of what is scrolled. */
  offset: number;
}

/** Height of what is scrolled, in pixels. */
export function scrolledHeight({ count, size }: RowScale): number {
  return Math.min(count * size, MOST_PIXELS);
}

/** Whether a pixel of the scroll bar means more than a pixel of the rows. */
export function isScaled({ count, size }: RowScale): boolean {
  return count * size > MOST_PIXELS;
}

/** The row at the upper edge of a viewport that is scrolled to the end, with a fraction. */
export function lastRow({ count, size, height }: RowScale): number {
  return Math.max(0, count - height / size);
}

/** The row at the upper edge of a viewport, with a fraction, from its scroll position in pixels. */
export function rowAtTop(scale: RowScale, top: number): number {
  const reach = scrolledHeight(scale) - scale.height;
  return isScaled(scale) && reach > 0 ? (top / reach) * lastRow(scale) : top / scale.size;
}

/** The scroll position in pixels that has a row at the upper edge of the viewport. */
export function topOfRow(scale: RowScale, row: number): number {
  if (!isScaled(scale)) return row * scale.size;
  return (row / Math.max(1, lastRow(scale))) * Math.max(0, scrolledHeight(scale) - scale.height);
}

/**
 * Rows that a viewport shows whose upper edge is at `row`, with `spare` rows beyond both edges, however many there are: beyond some
 * millions of pixels the scroll bar moves through them in larger steps than it shows.
 */
export function rowsAt(scale: RowScale, row: number, spare: number): ScaledRows {
  const { count, size, height } = scale;
  const at = Math.max(0, Math.min(row, lastRow(scale)));
  const first = Math.max(0, Math.floor(at) - spare);
  const end = Math.min(count, Math.ceil(at + height / size) + spare);
  const offset = isScaled(scale) ? topOfRow(scale, at) - (at - first) * size : first * size;
  return { height: scrolledHeight(scale), first, end, offset };
}

/** Rows of equal size that a viewport shows which is scrolled to `top` pixels. */
export function scaledRows(count: number, size: number, viewport: { top: number; height: number }, spare = 4): ScaledRows {
  const scale = { count, size, height: viewport.height };
  return rowsAt(scale, rowAtTop(scale, viewport.top), spare);
}
