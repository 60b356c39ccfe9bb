// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from "vitest";

import type { TimelineCounter, TimelineTrack } from "./timeline";
import { itemAt, layoutTimeline, processKey, ROW_HEIGHT, rowMiddle, trackKey, tracksBetween } from "./timelineLayout";

const track = (number: number, process: string, rows: number): TimelineTrack => ({
  ...{ track: number, process, thread: String(number), process_name: `p ${process}`, thread_name: "", rows, slices: 10 },
});
const TRACKS = [track(4, "1", 3), track(5, "1", 2), track(6, "2", 1)];
const COUNTER: TimelineCounter = { counter: 0, name: "memory", track: 5, unit: "bytes", low: 0, high: 1 };

describe("the layout of a timeline", () => {
  const layout = layoutTimeline(TRACKS, [COUNTER], new Set());

  it("puts processes, tracks and counters below each other", () => {
    expect(layout.items.map(({ kind, name }) => `${kind} ${name}`)).toEqual([
      ...["process p 1", "track 4", "track 5", "counter memory", "process p 2", "track 6"],
    ]);
    layout.items
      .slice(1)
      .forEach((item, index) => expect(item.top).toBeGreaterThanOrEqual(layout.items[index]!.top + layout.items[index]!.height));
  });

  it("says beside a name only what is not in it", () => {
    const details = (thread: string, thread_name: string): string =>
      layoutTimeline([{ ...TRACKS[0]!, thread, thread_name }], [], new Set()).items[1]!.detail;
    expect(details("519", "Stream 519")).toBe("");
    expect(details("AI_CPU", "AI CPU")).toBe("");
    expect(details("1 python3", "python3")).toBe("1");
    expect(details("0 Host Threads/775", "Host Threads/775")).toBe("0");
    expect(details("19", "Stream 519")).toBe("19");
    expect(details("774", "backward")).toBe("774");
    expect(details("774", "")).toBe("");
  });

  it("finds rows by their height, and heights by their rows", () => {
    const y = rowMiddle(layout, 5, 1)!;
    expect(itemAt(layout, y)).toMatchObject({ item: { track: { track: 5 } }, row: 1 });
    expect(rowMiddle(layout, 99, 0)).toBeNull();
    expect(itemAt(layout, layout.height + 50)).toBeNull();
  });

  it("shows closed processes and tracks as one line", () => {
    const closed = layoutTimeline(TRACKS, [COUNTER], new Set([processKey(TRACKS[0]!), trackKey(TRACKS[2]!)]));
    expect(closed.items.map(({ kind }) => kind)).toEqual(["process", "process", "track"]);
    expect(closed.items[0]!.tracks).toHaveLength(2);
    expect(closed.items[2]!.height).toBe(ROW_HEIGHT);
    expect(rowMiddle(closed, 5, 1)).toBe(closed.items[0]!.top + closed.items[0]!.height / 2);
  });

  it("says which tracks a box covers", () => {
    const [, first, second] = layout.items;
    expect(tracksBetween(layout, first!.top, first!.top + 5)).toEqual([4]);
    expect(tracksBetween(layout, first!.top, second!.top + 5)).toEqual([4, 5]);
  });
});
