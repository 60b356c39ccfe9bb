// SPDX-License-Identifier: Apache-2.0
import type { TimelineCounter, TimelineTrack } from "./timeline";

export const ROW_HEIGHT = 18;
const COUNTER_HEIGHT = 44;
const PROCESS_HEIGHT = 24;
const GAP = 6;

/** Something with a name in the left margin, at `top` of all that can be scrolled. */
export interface TimelineItem {
  kind: "process" | "track" | "counter";
  key: string;
  name: string;
  /** The raw identifier, beside the name. */
  detail: string;
  top: number;
  height: number;
  track: TimelineTrack | null;
  counter: TimelineCounter | null;
  isClosed: boolean;
  /** Rows of slices that are drawn. */
  rows: number;
  /** Of a closed process: the tracks whose first rows are drawn in it. */
  tracks: readonly TimelineTrack[];
}

export interface TimelineLayout {
  items: readonly TimelineItem[];
  height: number;
  /** By number of the track. */
  byTrack: ReadonlyMap<number, TimelineItem>;
}

export function processKey({ process }: Pick<TimelineTrack, "process">): string {
  return `p${process}`;
}

export function trackKey({ process, thread }: Pick<TimelineTrack, "process" | "thread">): string {
  return `t${process}/${thread}`;
}

/** Processes with their tracks and counters below each other; `closed` ones are a single line. */
export function layoutTimeline(
  tracks: readonly TimelineTrack[],
  counters: readonly TimelineCounter[],
  closed: ReadonlySet<string>,
): TimelineLayout {
  const items: TimelineItem[] = [];
  const byTrack = new Map<number, TimelineItem>();
  let top = 0;
  const add = (item: Omit<TimelineItem, "top">): TimelineItem => {
    const placed = { ...item, top };
    items.push(placed);
    top += item.height + (item.kind === "process" ? 0 : GAP);
    return placed;
  };
  for (const process of new Set(tracks.map((track) => track.process))) {
    const some = tracks.filter((track) => track.process === process);
    const first = some[0]!;
    const key = processKey(first);
    const isClosed = closed.has(key);
    const head = add({
      ...{ kind: "process", key, track: null, counter: null, isClosed, rows: 0, tracks: isClosed ? some : [] },
      ...{
        name: first.process_name || first.process,
        detail: first.process_name && !first.isNamed ? missingWords(first.process, first.process_name) : "",
        height: PROCESS_HEIGHT,
      },
    });
    if (isClosed) for (const each of some) byTrack.set(each.track, head);
    else for (const each of some) addTrack(each, counters, closed, add, byTrack);
  }
  return { items, height: top, byTrack };
}

/** Of an identifier what its name does not say already: nothing of `7` in `Stream 7`, nor of `AI_CPU` in `AI CPU`. */
function missingWords(identifier: string, name: string): string {
  const known = new Set(partsOf(name));
  const isMissing = (word: string): boolean => partsOf(word).some((part) => !known.has(part));
  return identifier.split(/\s+/u).filter(isMissing).join(" ");
}

function partsOf(text: string): string[] {
  return text.split(/[^\p{L}\p{N}]+/u).filter((part) => part !== "");
}

function addTrack(
  track: TimelineTrack,
  counters: readonly TimelineCounter[],
  closed: ReadonlySet<string>,
  add: (item: Omit<TimelineItem, "top">) => TimelineItem,
  byTrack: Map<number, TimelineItem>,
): void {
  const key = trackKey(track);
  const isClosed = closed.has(key);
  if (track.rows > 0) {
    const rows = isClosed ? 1 : track.rows;
    const item = add({
      ...{ kind: "track", key, track, counter: null, isClosed, rows, tracks: [] },
      ...{
        name: track.thread_name || track.thread,
        detail: track.thread_name && !track.isNamed ? missingWords(track.thread, track.thread_name) : "",
        height: rows * ROW_HEIGHT,
      },
    });
    byTrack.set(track.track, item);
  }
  for (const counter of counters.filter((each) => each.track === track.track)) {
    add({
      ...{ kind: "counter", key: `c${counter.counter}`, track: null, counter, isClosed: false, rows: 0, tracks: [] },
      ...{ name: counter.name, detail: counter.unit, height: COUNTER_HEIGHT },
    });
  }
}

/** What lies between two heights. */
export function visibleItems({ items }: TimelineLayout, top: number, bottom: number): TimelineItem[] {
  return items.filter((item) => item.top + item.height >= top && item.top <= bottom);
}

export interface LayoutPlace {
  item: TimelineItem;
  /** Row of slices; -1 where the item has none. */
  row: number;
}

/** What is at a height; null between things. */
export function itemAt({ items }: TimelineLayout, y: number): LayoutPlace | null {
  const item = items.find((each) => y >= each.top && y < each.top + each.height);
  if (!item) return null;
  return { item, row: item.kind === "track" ? Math.min(item.rows - 1, Math.floor((y - item.top) / ROW_HEIGHT)) : -1 };
}

/** Tracks of slices between two heights. */
export function tracksBetween(layout: TimelineLayout, top: number, bottom: number): number[] {
  return visibleItems(layout, top, bottom).flatMap(({ track, tracks }) => (track ? [track] : tracks).map((each) => each.track));
}

/** The height of the middle of a row of a track; of its process, where that is closed. Null for an unknown track. */
export function rowMiddle({ byTrack }: TimelineLayout, track: number, row: number): number | null {
  const item = byTrack.get(track);
  if (!item) return null;
  if (item.kind === "process") return item.top + item.height / 2;
  return item.top + (Math.min(row, item.rows - 1) + 0.5) * ROW_HEIGHT;
}
