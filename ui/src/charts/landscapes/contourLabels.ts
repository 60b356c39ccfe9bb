// SPDX-License-Identifier: Apache-2.0
/** Where a line is labelled: a place and the angle of the line there, readable from below. */
export interface LineLabel {
  x: number;
  y: number;
  angle: number;
}

type Place = readonly [x: number, y: number];

const CANDIDATES = 24;
const EDGE = 18;

/**
 * A place for a label of some width on the longest of the lines of a level, in pixels: where the line is straightest and no other
 * label is near. Null where no line is long enough.
 */
export function labelPlace(
  lines: readonly (readonly Place[])[],
  width: number,
  size: { left: number; top: number; width: number; height: number },
  taken: readonly LineLabel[],
): LineLabel | null {
  const [longest] = lines.map((line) => ({ line, length: lengthOf(line) })).toSorted((one, other) => other.length - one.length);
  if (!longest || longest.length < 2.2 * width) return null;
  let best: { label: LineLabel; bend: number } | null = null;
  for (let candidate = 1; candidate < CANDIDATES; candidate++) {
    const label = labelAt(longest.line, (longest.length * candidate) / CANDIDATES, width);
    if (!label || !isFree(label.label, width, size, taken)) continue;
    if (!best || label.bend < best.bend) best = label;
  }
  return best?.label ?? null;
}

function isFree({ x, y }: LineLabel, width: number, size: Parameters<typeof labelPlace>[2], taken: readonly LineLabel[]): boolean {
  const isIn = x > size.left + EDGE && x < size.left + size.width - EDGE && y > size.top + EDGE && y < size.top + size.height - EDGE;
  return isIn && taken.every((other) => Math.hypot(other.x - x, other.y - y) > 1.3 * width);
}

/** The label around a distance along a line, and how much the line is longer than the straight way below the label. */
function labelAt(line: readonly Place[], distance: number, width: number): { label: LineLabel; bend: number } | null {
  const [from, to, middle] = [placeAt(line, distance - width / 2), placeAt(line, distance + width / 2), placeAt(line, distance)];
  if (!from || !to || !middle) return null;
  const angle = Math.atan2(to[1] - from[1], to[0] - from[0]);
  const readable = Math.abs(angle) > Math.PI / 2 ? angle - Math.sign(angle) * Math.PI : angle;
  return {
    label: { x: middle[0], y: middle[1], angle: readable },
    bend: width / Math.max(1, Math.hypot(to[0] - from[0], to[1] - from[1])),
  };
}

function lengthOf(line: readonly Place[]): number {
  return line.reduce((sum, [x, y], index) => (index === 0 ? 0 : sum + Math.hypot(x - line[index - 1]![0], y - line[index - 1]![1])), 0);
}

function placeAt(line: readonly Place[], distance: number): Place | null {
  let left = distance;
  if (left < 0) return null;
  for (let index = 1; index < line.length; index++) {
    const [from, to] = [line[index - 1]!, line[index]!];
    const length = Math.hypot(to[0] - from[0], to[1] - from[1]);
    if (left <= length && length > 0) {
      const part = left / length;
      return [from[0] + (to[0] - from[0]) * part, from[1] + (to[1] - from[1]) * part];
    }
    left -= length;
  }
  return null;
}
