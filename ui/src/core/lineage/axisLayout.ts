// SPDX-License-Identifier: Apache-2.0
/** Where the axes of parallel coordinates are; all lengths in CSS pixels. */
export interface AxisLayout {
  /** Whole width; more than the room if there are too many axes for it. */
  width: number;
  /** Places of the axes from left to right. */
  xs: readonly number[];
  /** Distance of neighboring axes. */
  distance: number;
  /** Heads are in two rows, in turn, so that each has twice the distance. */
  headRows: 1 | 2;
  heads: readonly HeadBox[];
}

export interface HeadBox {
  /** 0 for the upper row. */
  row: number;
  middle: number;
  width: number;
}

export const MIN_DISTANCE = 66;
const RIGHT = 30;
const HEAD_GAP = 10;
const LEFT: readonly [least: number, most: number] = [34, 110];

/** `firstLabels` is the width of the labels beside the first axis, `heads` the widths of the heads. */
export function axisLayout(room: number, firstLabels: number, heads: readonly number[]): AxisLayout {
  const left = Math.max(LEFT[0], Math.min(LEFT[1], firstLabels + HEAD_GAP));
  const gaps = Math.max(1, heads.length - 1);
  const distance = Math.max(MIN_DISTANCE, (room - left - RIGHT) / gaps);
  const headRows = heads.length > 1 && Math.max(...heads) + HEAD_GAP > distance ? 2 : 1;
  const width = Math.max(room, left + distance * (heads.length - 1) + RIGHT);
  const xs = heads.map((_, index) => left + distance * index);
  const half = (headRows * distance - HEAD_GAP) / 2;
  return { width, xs, distance, headRows, heads: heads.map((head, index) => headBox(xs[index]!, head, half, width, index % headRows)) };
}

/** A head above its axis, moved to the inside at both ends of the chart. */
function headBox(x: number, wanted: number, half: number, whole: number, row: number): HeadBox {
  const width = Math.min(wanted, Math.min(half, x) + Math.min(half, whole - x));
  return { row, width, middle: Math.max(width / 2, Math.min(whole - width / 2, x)) };
}

/** Room for a label that is centered below an axis. */
export function roomBelow({ xs, width, distance }: AxisLayout, index: number): number {
  return Math.min(distance, 2 * xs[index]!, 2 * (width - xs[index]!));
}

/** The order of axes while one of them is dragged to `x`: it takes the nearest place. */
export function draggedOrder<T>(items: readonly T[], dragged: T, x: number, { xs }: Pick<AxisLayout, "xs">): T[] {
  const place = xs.reduce((nearest, each, index) => (Math.abs(each - x) < Math.abs(xs[nearest]! - x) ? index : nearest), 0);
  const rest = items.filter((item) => item !== dragged);
  return [...rest.slice(0, place), dragged, ...rest.slice(place)];
}

/** A text that fits in a width. The end stays, which is the part of a dotted name that says most. */
export function fittedEnd(text: string, width: number, measure: (text: string) => number): string {
  if (measure(text) <= width) return text;
  for (let start = 1; start < text.length; start++) {
    const shorter = `…${text.slice(start)}`;
    if (measure(shorter) <= width) return shorter;
  }
  return "…";
}

/** A text that fits in a width; its beginning stays. */
export function fittedStart(text: string, width: number, measure: (text: string) => number): string {
  if (measure(text) <= width) return text;
  for (let length = text.length - 1; length > 0; length--) {
    const shorter = `${text.slice(0, length)}…`;
    if (measure(shorter) <= width) return shorter;
  }
  return "…";
}
