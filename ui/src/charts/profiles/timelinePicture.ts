// SPDX-License-Identifier: Apache-2.0
import type { FoundMark, TimelineStep, TimelineWindow } from "../../core/profiles/timeline";
import type { TimelineLayout } from "../../core/profiles/timelineLayout";
import type { TimeRange } from "../../core/profiles/timeRange";

/** A slice that is marked. */
export interface MarkedSlice {
  slice: number;
  track: number;
  row: number;
  begin: number;
  duration: number;
}

/** An arrow from the end of one slice to the begin of another. */
export interface TimelineArrow {
  from: MarkedSlice;
  to: MarkedSlice;
}

export interface AreaBox {
  begin: number;
  end: number;
  /** Tracks that it covers; null for all. */
  tracks: readonly number[] | null;
}

/** All that is drawn of a timeline. */
export interface TimelinePicture {
  layout: TimelineLayout;
  range: TimeRange;
  /** How far the tracks are scrolled down, in CSS pixels. */
  top: number;
  /** Null before the first answer. */
  window: TimelineWindow | null;
  steps: readonly TimelineStep[];
  marks: readonly FoundMark[];
  selected: MarkedSlice | null;
  hovered: MarkedSlice | null;
  arrows: readonly TimelineArrow[];
  area: AreaBox | null;
  /** Slices with other names are pale; null without a search. */
  matches: ((name: string) => boolean) | null;
}

/** Colors of the theme, resolved. */
export interface TimelineColors {
  paper: string;
  side: string;
  ink: string;
  soft: string;
  hairline: string;
  grid: string;
  accent: string;
  wash: string;
  warn: string;
  /** Ten colors of slices: `ink` is read on each. */
  slices: readonly string[];
  /** As many of counters. */
  lines: readonly string[];
  /** Those of slices as ABGR without alpha, for pixels. */
  packed: Uint32Array;
}

export function xOf({ begin, end }: TimeRange, time: number, width: number): number {
  return ((time - begin) / (end - begin)) * width;
}
