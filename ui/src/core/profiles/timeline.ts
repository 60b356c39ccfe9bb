// SPDX-License-Identifier: Apache-2.0
import type { Message, Schemas } from "../messages/message";

/** A thread of a process, or a stream of a device. */
export type TimelineTrack = Omit<Schemas["TrackEntry"], "is_steps" | "is_helper"> & {
  is_helper?: boolean;
  /** A reader of profiles named it: the number of its thread says no more. */
  isNamed?: boolean;
};

export type TimelineCounter = Omit<Schemas["CounterEntry"], "points">;

export type TimelineStep = Schemas["StepEntry"];

export type CounterWindow = Message<"CounterColumns">;

/** What a screen shows of a range: cells of `pixel_ns` nanoseconds, and slices that are wider. */
export type TimelineWindow = Message<"WindowHeader">;

/** Where the lanes of a window are: by track, then by row. */
export function lanesOf(window: TimelineWindow): Map<number, Map<number, number>> {
  const found = new Map<number, Map<number, number>>();
  window.lane_track.forEach((track, lane) => {
    const rows = found.get(track) ?? new Map<number, number>();
    rows.set(window.lane_row[lane]!, lane);
    found.set(track, rows);
  });
  return found;
}

export interface FoundSlice {
  slice: number;
  begin: number;
  duration: number;
  name: string | null;
  /** Number of slices in a cell; 1 for a slice that is drawn as itself. */
  count: number;
}

/** The slice of a lane at a time; a cell answers for the slices in it. */
export function sliceAt(window: TimelineWindow, lane: number, time: number, slack: number): FoundSlice | null {
  const wide = wideAt(window, lane, time, slack);
  const { lane_cells, pixel, pixel_ns, begin_ns } = window;
  const column = Math.floor((time - begin_ns) / pixel_ns);
  const reach = Math.ceil(slack / pixel_ns);
  const cell =
    wide === null || window.wide_begin[wide]! > time ? nearestCell(pixel, lane_cells[lane]!, lane_cells[lane + 1]!, column, reach) : null;
  if (cell !== null && (wide === null || Math.abs(pixel[cell]! - column) < 1)) {
    return {
      slice: window.longest[cell]!,
      begin: begin_ns + pixel[cell]! * pixel_ns,
      duration: pixel_ns,
      name: null,
      count: window.count[cell]!,
    };
  }
  if (wide === null) return null;
  return {
    slice: window.wide[wide]!,
    begin: window.wide_begin[wide]!,
    duration: window.wide_duration[wide]!,
    name: window.names[window.wide_name[wide]!] ?? "",
    count: 1,
  };
}

function wideAt({ lane_wide, wide_begin, wide_duration }: TimelineWindow, lane: number, time: number, slack: number): number | null {
  let [low, high] = [lane_wide[lane]!, lane_wide[lane + 1]!];
  const first = low;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (wide_begin[middle]! <= time) low = middle + 1;
    else high = middle;
  }
  const before = low - 1;
  if (before >= first && wide_begin[before]! + wide_duration[before]! + slack >= time) return before;
  return low < lane_wide[lane + 1]! && wide_begin[low]! - slack <= time ? low : null;
}

function nearestCell(pixel: Uint16Array, first: number, end: number, column: number, reach: number): number | null {
  let [low, high] = [first, end];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (pixel[middle]! < column) low = middle + 1;
    else high = middle;
  }
  const near = [low - 1, low].filter((cell) => cell >= first && cell < end && Math.abs(pixel[cell]! - column) <= reach);
  near.sort((one, other) => Math.abs(pixel[one]! - column) - Math.abs(pixel[other]! - column));
  return near[0] ?? null;
}

/** Lowest and highest value of a counter in the pixel of a time; null before its first value. */
export function counterAt(
  { counters, begin_ns, pixel_ns }: TimelineWindow,
  counter: number,
  time: number,
): { low: number; high: number } | null {
  const found = counters.find((each) => each.counter === counter);
  if (!found) return null;
  const column = Math.floor((time - begin_ns) / pixel_ns);
  let place = -1;
  while (place + 1 < found.pixel.length && found.pixel[place + 1]! <= column) place++;
  if (place >= 0 && found.pixel[place] === column) return { low: found.low[place]!, high: found.high[place]! };
  const value = place >= 0 ? found.last[place]! : found.before;
  return value === null ? null : { low: value, high: value };
}

/** A moment that the profile names. */
export interface FoundMark {
  name: string;
  track: number;
  /** Begin of its pixel. */
  time: number;
  /** Marks in its pixel. */
  count: number;
}

export function marksOf({ mark_pixel, mark_name, mark_track, mark_count, begin_ns, pixel_ns, names }: TimelineWindow): FoundMark[] {
  return Array.from(mark_pixel, (pixel, place) => ({
    name: names[mark_name[place]!] ?? "",
    track: mark_track[place]!,
    time: begin_ns + pixel * pixel_ns,
    count: mark_count[place]!,
  }));
}

/** The mark whose flag is at a time: the last one at or before it, up to `reach` nanoseconds, else one just after it. */
export function markAt(marks: readonly FoundMark[], time: number, reach: number, slack: number): FoundMark | null {
  const before = marks.findLast((mark) => mark.time <= time);
  if (before && time - before.time <= reach) return before;
  const after = marks.find((mark) => mark.time > time);
  return after && after.time - time <= slack ? after : null;
}
