// SPDX-License-Identifier: Apache-2.0
/** Left edges of columns of these widths, then the right edge of the last. */
export function columnEdges(widths: readonly number[]): number[] {
  let edge = 0;
  return [0, ...widths.map((width) => (edge += width))];
}

/** The columns between `edges` that a scrolled viewport needs, with `spare` columns beyond both sides. */
export function columnWindow(
  edges: readonly number[],
  viewport: { left: number; width: number },
  spare: number,
): { first: number; end: number } {
  const count = edges.length - 1;
  const before = edges.findLastIndex((edge) => edge <= viewport.left);
  const after = edges.findIndex((edge) => edge >= viewport.left + viewport.width);
  const first = Math.max(0, Math.min(before, count) - spare);
  return { first, end: Math.max(first, Math.min(count, (after < 0 ? count : after) + spare)) };
}
