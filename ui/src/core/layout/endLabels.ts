// SPDX-License-Identifier: Apache-2.0
import type { Range } from "../scales/axis";

/** A name for the end of a line; the first of a list matters most. */
export interface EndLabel {
  text: string;
  color: string;
  /** Where the line ends, in pixels. */
  x: number;
  y: number;
  width: number;
}

/** Points of a line in pixels; NaN where it has a gap. */
export interface PixelLine {
  x: ArrayLike<number>;
  y: ArrayLike<number>;
}

/** Between two names side by side. */
const GAP = 6;

/**
 * The labels that have room at the ends of their own lines, within a height: a moved name would seem to be that of another
 * line. No other name and no line crosses them.
 */
export function labelsWithRoom<Label extends EndLabel>(
  labels: readonly Label[],
  [top, bottom]: Range,
  spacing: number,
  isCrossed: (label: Label) => boolean = () => false,
): Label[] {
  const kept: Label[] = [];
  for (const label of labels) {
    if (label.y < top || label.y > bottom) continue;
    const isFree = kept.every(
      ({ x, y, width }) => Math.abs(label.y - y) >= spacing || label.x + label.width + GAP <= x || label.x >= x + width + GAP,
    );
    if (isFree && !isCrossed(label)) kept.push(label);
  }
  return kept;
}

/** Whether a line crosses a label that is `height` pixels high. */
export function crosses({ x: xs, y: ys }: PixelLine, { x: left, y, width }: EndLabel, height: number): boolean {
  const [right, top, bottom] = [left + width, y - height / 2, y + height / 2];
  let [lastX, lastY] = [NaN, NaN];
  for (let row = 0; row < xs.length; row++) {
    const [x, y] = [xs[row]!, ys[row]!];
    if (x >= left && x <= right && y >= top && y <= bottom) return true;
    const [from, to] = [Math.max(left, Math.min(lastX, x)), Math.min(right, Math.max(lastX, x))];
    if (from <= to && Number.isFinite(y) && Number.isFinite(lastY)) {
      const at = (place: number): number => lastY + ((y - lastY) * (place - lastX)) / (x - lastX);
      const [one, other] = x === lastX ? [lastY, y] : [at(from), at(to)];
      if (Math.max(one, other) >= top && Math.min(one, other) <= bottom) return true;
    }
    [lastX, lastY] = [x, y];
  }
  return false;
}
