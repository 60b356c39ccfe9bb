// SPDX-License-Identifier: Apache-2.0
/** A thread of a process, or a stream of a device. */
export interface TimelineTrack {
  track: number;
  process: string;
  thread: string;
  process_name: string;
  thread_name: string;
  /** Lines of slices below each other. */
  rows: number;
  slices: number;
  /** A reader of profiles named it: the number of its thread says no more. */
  isNamed?: boolean;
}

export interface TimelineCounter {
  counter: number;
  name: string;
  track: number;
  /** `bytes`, or empty. */
  unit: string;
  low: number;
  high: number;
}

export interface TimelineStep {
  slice: number;
  number: number;
  begin_ns: number;
  duration_ns: number;
}

export interface CounterWindow {
  counter: number;
  /** The value before the range; null without one. */
  before: number | null;
  pixel: Uint16Array;
  low: Float64Array;
  high: Float64Array;
  last: Float64Array;
}

/**
 * What a screen shows of a range: cells of `pixelNs` nanoseconds, and slices that are wider. Lane i is row `laneRow[i]` of
 * `laneTrack[i]`; its cells are `laneCells[i]` to `laneCells[i + 1]`, its wide slices likewise.
 */
export interface TimelineWindow {
  version: string;
  begin: number;
  pixelNs: number;
  width: number;
  names: readonly string[];
  /** Of each name, 0 to 9. */
  colors: readonly number[];
  laneTrack: Uint32Array;
  laneRow: Uint16Array;
  laneCells: Uint32Array;
  pixel: Uint16Array;
  count: Uint16Array;
  /** Of a cell, the slice that is the longest. */
  longest: Uint32Array;
  /** Share of a cell that slices fill, 255 for all. */
  busy: Uint8Array;
  color: Uint8Array;
  laneWide: Uint32Array;
  wide: Uint32Array;
  wideBegin: Float64Array;
  wideDuration: Float64Array;
  wideName: Uint32Array;
  counters: readonly CounterWindow[];
  /** Pixels with marks; the first mark of each, and how many it has. */
  markPixel: Uint16Array;
  markName: Uint32Array;
  markTrack: Uint32Array;
  markCount: Uint32Array;
}

/** Where the lanes of a window are: by track, then by row. */
export function lanesOf(window: TimelineWindow): Map<number, Map<number, number>> {
  const found = new Map<number, Map<number, number>>();
  window.laneTrack.forEach((track, lane) => {
    const rows = found.get(track) ?? new Map<number, number>();
    rows.set(window.laneRow[lane]!, lane);
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
  const { laneCells, pixel, pixelNs, begin } = window;
  const column = Math.floor((time - begin) / pixelNs);
  const reach = Math.ceil(slack / pixelNs);
  const cell =
    wide === null || window.wideBegin[wide]! > time ? nearestCell(pixel, laneCells[lane]!, laneCells[lane + 1]!, column, reach) : null;
  if (cell !== null && (wide === null || Math.abs(pixel[cell]! - column) < 1)) {
    return {
      slice: window.longest[cell]!,
      begin: begin + pixel[cell]! * pixelNs,
      duration: pixelNs,
      name: null,
      count: window.count[cell]!,
    };
  }
  if (wide === null) return null;
  return {
    slice: window.wide[wide]!,
    begin: window.wideBegin[wide]!,
    duration: window.wideDuration[wide]!,
    name: window.names[window.wideName[wide]!] ?? "",
    count: 1,
  };
}

function wideAt({ laneWide, wideBegin, wideDuration }: TimelineWindow, lane: number, time: number, slack: number): number | null {
  let [low, high] = [laneWide[lane]!, laneWide[lane + 1]!];
  const first = low;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (wideBegin[middle]! <= time) low = middle + 1;
    else high = middle;
  }
  const before = low - 1;
  if (before >= first && wideBegin[before]! + wideDuration[before]! + slack >= time) return before;
  return low < laneWide[lane + 1]! && wideBegin[low]! - slack <= time ? low : null;
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
  { counters, begin, pixelNs }: TimelineWindow,
  counter: number,
  time: number,
): { low: number; high: number } | null {
  const found = counters.find((each) => each.counter === counter);
  if (!found) return null;
  const column = Math.floor((time - begin) / pixelNs);
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

export function marksOf({ markPixel, markName, markTrack, markCount, begin, pixelNs, names }: TimelineWindow): FoundMark[] {
  return Array.from(markPixel, (pixel, place) => ({
    name: names[markName[place]!] ?? "",
    track: markTrack[place]!,
    time: begin + pixel * pixelNs,
    count: markCount[place]!,
  }));
}

/** The mark whose flag is at a time: the last one at or before it, up to `reach` nanoseconds, else one just after it. */
export function markAt(marks: readonly FoundMark[], time: number, reach: number, slack: number): FoundMark | null {
  const before = marks.findLast((mark) => mark.time <= time);
  if (before && time - before.time <= reach) return before;
  const after = marks.find((mark) => mark.time > time);
  return after && after.time - time <= slack ? after : null;
}
