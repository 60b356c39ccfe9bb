// SPDX-License-Identifier: Apache-2.0
/** Radius of points in CSS pixels: smaller ones where there are many, larger ones near by. */
export function pointRadius(points: number, zoom: number, hasImages: boolean): number {
  const usual = points > 20_000 ? 1.4 : points > 3_000 ? 2 : points > 500 ? 2.8 : 4;
  const nearer = Math.max(1, Math.min(6, Math.sqrt(zoom)));
  return hasImages ? Math.max(9, 3 * usual) * nearer : usual * Math.min(3, nearer);
}
