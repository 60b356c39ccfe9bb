// SPDX-License-Identifier: Apache-2.0

/** Steps of a run that one of its profiles has. */
export interface ProfiledRange {
  run: string;
  profile: string;
  first: number;
  last: number;
}

/** A mark on the horizontal axis, in pixels of the plotting area: ranges that would overlap are one mark. */
export interface ProfiledMark {
  left: number;
  width: number;
  ranges: ProfiledRange[];
}

/** Narrower marks could not be hit. */
const LEAST_WIDTH = 6;

/** Marks of ranges within an area of a width; `place` is where a step is in it, NaN if it is nowhere. */
export function profiledMarks(ranges: readonly ProfiledRange[], width: number, place: (step: number) => number): ProfiledMark[] {
  const spans = ranges
    .flatMap((range) => {
      const [from, to] = [place(range.first), place(range.last)];
      if (!(from <= width && to >= 0)) return [];
      const [begin, end] = [Math.max(0, from), Math.min(width, to)];
      const missing = Math.max(0, LEAST_WIDTH - (end - begin)) / 2;
      return [{ begin: begin - missing, end: end + missing, range }];
    })
    .sort((one, other) => one.begin - other.begin);
  const marks: ProfiledMark[] = [];
  for (const { begin, end, range } of spans) {
    const before = marks.at(-1);
    if (before && begin < before.left + before.width) {
      before.width = Math.max(before.width, end - before.left);
      before.ranges.push(range);
    } else marks.push({ left: begin, width: end - begin, ranges: [range] });
  }
  return marks;
}
