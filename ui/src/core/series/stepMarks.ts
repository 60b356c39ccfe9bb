// SPDX-License-Identifier: Apache-2.0

/** Steps of a run that something else is known of: a profile, a hit. */
export interface StepRange {
  run: string;
  first: number;
  last: number;
}

/** A mark on the horizontal axis, in pixels of the plotting area: ranges that would overlap are one mark. */
export interface StepMark<Range extends StepRange> {
  left: number;
  width: number;
  ranges: Range[];
}

/** Narrower marks could not be hit. */
const LEAST_WIDTH = 6;

/** Marks of ranges within an area of a width; `place` is where a step is in it, NaN if it is nowhere. */
export function stepMarks<Range extends StepRange>(
  ranges: readonly Range[],
  width: number,
  place: (step: number) => number,
  leastWidth = LEAST_WIDTH,
): StepMark<Range>[] {
  const spans = ranges
    .flatMap((range) => {
      const [from, to] = [place(range.first), place(range.last)];
      if (!(from <= width && to >= 0)) return [];
      const [begin, end] = [Math.max(0, from), Math.min(width, to)];
      const missing = Math.max(0, leastWidth - (end - begin)) / 2;
      return [{ begin: begin - missing, end: end + missing, range }];
    })
    .sort((one, other) => one.begin - other.begin);
  const marks: StepMark<Range>[] = [];
  for (const { begin, end, range } of spans) {
    const before = marks.at(-1);
    if (before && begin < before.left + before.width) {
      before.width = Math.max(before.width, end - before.left);
      before.ranges.push(range);
    } else marks.push({ left: begin, width: end - begin, ranges: [range] });
  }
  return marks;
}
