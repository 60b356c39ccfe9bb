// SPDX-License-Identifier: Apache-2.0
import { expect, it } from "vitest";

import type { MemoryWindow, SegmentMap, SizeWindow } from "../../core/profiles/memory";
import { SvgContext } from "../frame/svgContext";
import { paintMemory, sizeExtent, sizeTicks, type MemoryPicture } from "./paintMemory";
import { blockAt, layoutSegments, paintSegments, SEGMENT_LEFT } from "./paintSegments";

const MIB = 2 ** 20;
const sizes = (low: number, high: number, last: number): SizeWindow => ({
  ...{ before: 0, pixel: Uint16Array.of(50), low: Float64Array.of(low), high: Float64Array.of(high), last: Float64Array.of(last) },
});
const window: MemoryWindow = {
  ...{ version: "1", begin_ns: 0, pixel_ns: 10, width: 100 },
  curves: [{ curve: 0, allocated: sizes(MIB, 8 * MIB, 2 * MIB), reserved: sizes(10 * MIB, 10 * MIB, 10 * MIB) }],
  areas: {
    ...{ device: "GPU 0", texts: ["a", "b"], has_others: false, before: [0, 0], pixel: Uint16Array.of(50) },
    ...{ highest: Float64Array.of(5 * MIB, 3 * MIB), last: Float64Array.of(MIB, MIB) },
  },
};
const picture: MemoryPicture = {
  ...{ range: { begin: 0, end: 1000 }, window, lines: [{ curve: 0, color: "var(--series-0)" }], areaColors: null },
  ...{ peak: { time: 500, size: 8 * MIB }, time: 250, dragged: null, memory: 0, formatTime: null },
};

function painted(change: Partial<MemoryPicture> = {}): string {
  const surface = new SvgContext();
  paintMemory(surface, { width: 572, height: 234 }, 1, (color) => color, { ...picture, ...change });
  return surface.body();
}

it("draws a spike within a pixel, the peak and the chosen moment", () => {
  const svg = painted();
  expect(svg).toContain("8.0 MiB"); // its peak
  expect(svg).toContain("var(--bad)");
  expect(svg).toContain("10.0 MiB"); // a tick below the reserved memory
  // The curve goes up to 8 MiB in the middle of 500 pixels after an axis of 72: 1 - 8 / 10 of 200 pixels below the top at 12.
  expect(svg).toMatch(/322[ ,]52/);
});

it("fits the axis to what is drawn", () => {
  expect(sizeExtent(picture)).toEqual([0, 10 * MIB]);
  expect(sizeExtent({ ...picture, lines: [] })).toEqual([0, 1]);
  expect(sizeExtent({ ...picture, lines: [], areaColors: ["red", "blue"] })).toEqual([0, 8 * MIB]);
  expect(sizeTicks([0, 10 * MIB], 5).map((size) => size / MIB)).toEqual([0, 2, 4, 6, 8, 10]);
  expect(sizeTicks([-3 * 1024, 1024], 4).map((size) => size / 1024)).toEqual([-3, -2, -1, 0, 1]);
});

it("stacks areas in their colors", () => {
  const svg = painted({ areaColors: ["red", "blue"] });
  expect(svg.indexOf("red")).toBeGreaterThan(-1);
  expect(svg.indexOf("blue")).toBeGreaterThan(svg.indexOf("red"));
});

const map: SegmentMap = {
  ...{ time_ns: 0, reserved: 30, allocated: 12, pending: 4, largest_gap: 10, gaps: 2, texts: ["a"], address: ["0x0", "0x40"] },
  ...{ size: Float64Array.of(10, 20), stream: Float64Array.of(0, 0), block: Uint32Array.of(7, 8, 9), segment: Uint32Array.of(1, 1, 1) },
  ...{
    start: Float64Array.of(0, 4, 10),
    block_size: Float64Array.of(4, 4, 8),
    is_pending: Uint8Array.of(0, 1, 0),
    group: Uint8Array.of(0, 0, 1),
  },
};

it("lays out segments from the largest on and finds blocks and gaps", () => {
  const layout = layoutSegments(map);
  expect(layout.rows.map(({ segment }) => segment)).toEqual([1, 0]);
  const width = SEGMENT_LEFT + 201;
  const at = (bytes: number, row: number): ReturnType<typeof blockAt> =>
    blockAt(map, layout, width, SEGMENT_LEFT + bytes * 10, 10 + row * 18);
  expect([1, 5, 9, 12, 19].map((bytes) => at(bytes, 0)?.place)).toEqual([0, 1, -1, 2, -1]);
  expect(at(5, 1)).toEqual({ row: 1, place: -1 });
  expect(at(15, 1)).toBeNull();
});

it("paints blocks in the colors of their groups, freed ones pale", () => {
  const surface = new SvgContext();
  const look = { colors: ["red"], chosen: 9, sizeText: (bytes: number): string => `${bytes} B` };
  paintSegments(surface, { width: 300, top: 0, height: 100 }, map, layoutSegments(map), look, (color) => color);
  const svg = surface.body();
  expect(svg).toContain("red");
  expect(svg).toContain("0.35");
  expect(svg).toContain("var(--outline)"); // another group
  expect(svg).toContain("20 B");
});
