// SPDX-License-Identifier: Apache-2.0
/** A name for the end of a line; the first of a list matters most. */
export interface EndLabel {
  text: string;
  color: string;
  /** Where the line ends, in pixels. */
  x: number;
  y: number;
  width: number;
}

/** The labels that have room at the ends of their own lines, within a height: a moved name would seem to be that of another line. */
export function labelsWithRoom(labels: readonly EndLabel[], [top, bottom]: readonly [number, number], spacing: number): EndLabel[] {
  const kept: EndLabel[] = [];
  for (const label of labels) {
    if (label.y < top || label.y > bottom) continue;
    const isFree = kept.every(({ x, y, width }) => Math.abs(label.y - y) >= spacing || label.x + label.width <= x || label.x >= x + width);
    if (isFree) kept.push(label);
  }
  return kept;
}
