// SPDX-License-Identifier: Apache-2.0
/** Rows of equal height that a scrolled viewport needs, with `spare` rows beyond both edges. */
export function rowWindow(
  count: number,
  rowHeight: number,
  viewport: { top: number; height: number },
  spare = 8,
): { first: number; end: number } {
  const first = Math.max(0, Math.floor(viewport.top / rowHeight) - spare);
  const end = Math.min(count, Math.ceil((viewport.top + viewport.height) / rowHeight) + spare);
  return { first: Math.min(first, Math.max(0, count)), end: Math.max(end, Math.min(first, count)) };
}
