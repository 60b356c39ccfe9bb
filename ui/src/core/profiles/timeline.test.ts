// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from "vitest";

import { counterAt, lanesOf, sliceAt, type TimelineWindow } from "./timeline";

/** One lane: a wide slice from 100 to 140, cells at pixels 2 and 20 of 10 ns from 0 on. */
const WINDOW: TimelineWindow = {
  ...{ version: "1", begin_ns: 0, pixel_ns: 10, width: 100, names: ["wide"], colors: [3] },
  ...{ lane_track: Uint32Array.of(7), lane_row: Uint16Array.of(0), lane_cells: Uint32Array.of(0, 2), pixel: Uint16Array.of(2, 20) },
  ...{ count: Uint16Array.of(5, 1), longest: Uint32Array.of(11, 12), busy: Uint8Array.of(255, 9), color: Uint8Array.of(1, 2) },
  ...{ lane_wide: Uint32Array.of(0, 1), wide: Uint32Array.of(44), wide_begin: Float64Array.of(100), wide_duration: Float64Array.of(40) },
  ...{
    wide_name: Uint32Array.of(0),
    mark_pixel: new Uint16Array(),
    mark_name: new Uint32Array(),
    mark_track: new Uint32Array(),
    mark_count: new Uint32Array(),
  },
  counters: [
    {
      counter: 3,
      before: 2,
      pixel: Uint16Array.of(4, 6),
      low: Float64Array.of(1, 5),
      high: Float64Array.of(9, 5),
      last: Float64Array.of(4, 5),
    },
  ],
};

describe("a window of a timeline", () => {
  it("answers for slices and cells at a time", () => {
    expect(lanesOf(WINDOW).get(7)?.get(0)).toBe(0);
    expect(sliceAt(WINDOW, 0, 120, 0)).toEqual({ slice: 44, begin: 100, duration: 40, name: "wide", count: 1 });
    expect(sliceAt(WINDOW, 0, 25, 0)).toEqual({ slice: 11, begin: 20, duration: 10, name: null, count: 5 });
    expect(sliceAt(WINDOW, 0, 60, 0)).toBeNull();
    expect(sliceAt(WINDOW, 0, 185, 20)?.slice).toBe(12);
    expect(sliceAt(WINDOW, 0, 95, 6)?.slice).toBe(44);
  });

  it("answers for counters, which keep their last value", () => {
    const at = (time: number): unknown => counterAt(WINDOW, 3, time);
    expect([at(5), at(45), at(55), at(900)]).toEqual([
      ...[
        { low: 2, high: 2 },
        { low: 1, high: 9 },
        { low: 4, high: 4 },
        { low: 5, high: 5 },
      ],
    ]);
    expect(counterAt(WINDOW, 9, 5)).toBeNull();
  });
});
