// SPDX-License-Identifier: Apache-2.0
/** Browsers lay out no element that is much higher than this. */
const MOST_PIXELS = 8_000_000;

export interface ScaledRows {
  /** Height of what is scrolled, in pixels. */
  height: number;
  first: number;
  end: number;
  /** Where the first row is drawn, in pixels from the top of what is scrolled. */
  offset: number;
}

/**
 * Rows of equal size that a scrolled viewport shows, however many there are: beyond some millions of pixels the scroll bar
 * moves through them in larger steps than it shows.
 */
export function scaledRows(count: number, size: number, viewport: { top: number; height: number }, spare = 4): ScaledRows {
  const whole = count * size;
  const height = Math.min(whole, MOST_PIXELS);
  const visible = viewport.height / size;
  const reach = height - viewport.height;
  const last = Math.max(0, count - visible);
  const place = whole === height || reach <= 0 ? viewport.top / size : (viewport.top / reach) * last;
  const at = Math.max(0, Math.min(place, last));
  const first = Math.max(0, Math.floor(at) - spare);
  const end = Math.min(count, Math.ceil(at + visible) + spare);
  return { height, first, end, offset: whole === height ? first * size : viewport.top - (at - first) * size };
}
