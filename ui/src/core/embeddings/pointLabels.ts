// SPDX-License-Identifier: Apache-2.0
import type { Viewport } from "./pointCamera";

export interface PointLabel {
  point: number;
  text: string;
  /** Left end, and middle of the height. */
  x: number;
  y: number;
}

export const LABEL_HEIGHT = 14;
const BESIDE = 7;
const MOST_LABELS = 400;
/** Points that are tried; a picture is full long before. */
const MOST_TRIED = 20_000;
const LONGEST = 40;

/**
 * Labels beside points, none over another. Earlier points come first;
 */
export function placeLabels(
  order: Iterable<number>,
  seen: Float32Array,
  size: Viewport,
  textOf: (point: number) => string,
  widthOf: (text: string) => number,
): PointLabel[] {
  const labels: PointLabel[] = [];
  const rows = new Map<number, { from: number; to: number }[]>();
  let tried = 0;
  for (const point of order) {
    if (labels.length >= MOST_LABELS || tried++ >= MOST_TRIED) break;
    const [x, y] = [seen[point * 3]! + BESIDE, seen[point * 3 + 1]!];
    if (x < 0 || x > size.width || y < LABEL_HEIGHT / 2 || y > size.height - LABEL_HEIGHT / 2) continue;
    const text = shortened(textOf(point));
    if (text === "") continue;
    const to = x + widthOf(text);
    const lines = [Math.floor((y - LABEL_HEIGHT / 2) / LABEL_HEIGHT), Math.floor((y + LABEL_HEIGHT / 2) / LABEL_HEIGHT)];
    if (to > size.width || lines.some((line) => rows.get(line)?.some((other) => x < other.to && other.from < to))) continue;
    for (const line of lines) rows.set(line, [...(rows.get(line) ?? []), { from: x - BESIDE, to: to + 2 }]);
    labels.push({ point, text, x, y });
  }
  return labels;
}

function shortened(text: string): string {
  return text.length > LONGEST ? `${text.slice(0, LONGEST - 1)}…` : text;
}
