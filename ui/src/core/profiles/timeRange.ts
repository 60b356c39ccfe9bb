// SPDX-License-Identifier: Apache-2.0
/** Nanoseconds since the begin of a timeline. */
export interface TimeRange {
  readonly begin: number;
  readonly end: number;
}

/** The narrowest range that is shown, in nanoseconds. */
export const LEAST_NS = 50;
/** Beside a whole timeline, as a share of it. */
const MARGIN = 0.01;

/** All of a timeline, with a margin. */
export function wholeRange(duration: number): TimeRange {
  const margin = Math.max(duration, LEAST_NS) * MARGIN;
  return { begin: -margin, end: Math.max(duration, LEAST_NS) + margin };
}

/** A range of the same width within the timeline; one that is too wide or too narrow gets the nearest width. */
export function clamped({ begin, end }: TimeRange, duration: number): TimeRange {
  const whole = wholeRange(duration);
  const most = whole.end - whole.begin;
  const width = Math.min(most, Math.max(LEAST_NS, end - begin));
  const middle = (begin + end) / 2;
  const first = Math.min(whole.end - width, Math.max(whole.begin, middle - width / 2));
  return { begin: first, end: first + width };
}

/** The range becomes `factor` times as wide; `at` stays where it is. */
export function scaled({ begin, end }: TimeRange, factor: number, at: number, duration: number): TimeRange {
  const most = wholeRange(duration);
  const width = Math.min(most.end - most.begin, Math.max(LEAST_NS, (end - begin) * factor));
  const share = end > begin ? (at - begin) / (end - begin) : 0.5;
  return clamped({ begin: at - share * width, end: at + (1 - share) * width }, duration);
}

export function moved({ begin, end }: TimeRange, by: number, duration: number): TimeRange {
  return clamped({ begin: begin + by, end: end + by }, duration);
}

/** A slice with a margin on both sides. */
export function around(begin: number, length: number, duration: number, margin = 0.35): TimeRange {
  const wide = Math.max(length, LEAST_NS);
  return clamped({ begin: begin - wide * margin, end: begin + wide * (1 + margin) }, duration);
}

/** The range moves as little as possible to show another one; a wider one gets all of the width. */
export function revealing(range: TimeRange, begin: number, length: number, duration: number): TimeRange {
  const width = range.end - range.begin;
  if (length > width) return around(begin, length, duration, 0.05);
  const isSeen = begin >= range.begin && begin + length <= range.end;
  return isSeen ? range : clamped({ begin: begin + length / 2 - width / 2, end: begin + length / 2 + width / 2 }, duration);
}
