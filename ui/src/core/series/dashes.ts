// SPDX-License-Identifier: Apache-2.0
/** Lengths of dashes and gaps in CSS pixels, empty for a whole line. */
export type Dash = readonly number[];

const FIRST: readonly { dash: Dash; sign: string }[] = [
  { dash: [], sign: "──" },
  { dash: [7, 4], sign: "╌╌" },
  { dash: [2, 3], sign: "┈┈" },
];
/** After these, groups of strokes and dots. */
const [STROKE, DOT] = [
  [9, 3],
  [2, 3],
] as const;
const MOST_DOTS = 4;

/** A dash for each of any number of lines of one color, all different; the first line is whole. */
export function dashOf(index: number): Dash {
  const { strokes, dots } = groupOf(index);
  return FIRST[index]?.dash ?? [...Array.from({ length: strokes }, () => STROKE), ...Array.from({ length: dots }, () => DOT)].flat();
}

/** The dash in a text. */
export function dashSign(index: number): string {
  const { strokes, dots } = groupOf(index);
  return FIRST[index]?.sign ?? "─".repeat(strokes) + "·".repeat(dots);
}

function groupOf(index: number): { strokes: number; dots: number } {
  const rest = Math.max(0, index - FIRST.length);
  return { strokes: Math.floor(rest / MOST_DOTS) + 1, dots: (rest % MOST_DOTS) + 1 };
}
