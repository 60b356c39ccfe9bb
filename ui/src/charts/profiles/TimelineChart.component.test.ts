// SPDX-License-Identifier: Apache-2.0
import { page, userEvent } from "@vitest/browser/context";
import type { ComponentProps } from "svelte";
import { beforeEach, describe, expect, test, vi } from "vitest";

import { render } from "../../../tests/render.svelte";
import type { TimelineTrack, TimelineWindow } from "../../core/profiles/timeline";
import { layoutTimeline } from "../../core/profiles/timelineLayout";
import { around } from "../../core/profiles/timeRange";
import type { TitledPicture } from "../frame/picture";
import TimelineChart from "./TimelineChart.svelte";

type Props = ComponentProps<typeof TimelineChart> & Record<string, unknown>;

/** The names have a border. */
const [DURATION, WIDTH, NAMES, HEIGHT] = [100_000, 1000, 184 + 1, 260];
const track = (number: number, process: string, rows: number): TimelineTrack => ({
  ...{ track: number, process, thread: String(number), process_name: process, thread_name: "", rows, slices: 10 },
});
const TRACKS = [track(0, "python", 2), track(1, "GPU", 1)];
/** A pixel for 100 ns: a call with three short ones below it, a kernel later, and a mark. */
const WINDOW: TimelineWindow = {
  ...{ version: "1", begin_ns: 0, pixel_ns: 100, width: WIDTH, names: ["aten::linear", "gemm", "cycle"], colors: [1, 2, 3] },
  ...{ lane_track: Uint32Array.of(0, 0, 1), lane_row: Uint16Array.of(0, 1, 0), lane_cells: Uint32Array.of(0, 0, 1, 1) },
  ...{
    pixel: Uint16Array.of(150),
    count: Uint16Array.of(3),
    longest: Uint32Array.of(7),
    busy: Uint8Array.of(255),
    color: Uint8Array.of(4),
  },
  ...{ lane_wide: Uint32Array.of(0, 1, 1, 2), wide: Uint32Array.of(5, 9), wide_name: Uint32Array.of(0, 1) },
  ...{ wide_begin: Float64Array.of(10_000, 60_000), wide_duration: Float64Array.of(40_000, 20_000), counters: [] },
  ...{ mark_pixel: Uint16Array.of(550), mark_name: Uint32Array.of(2), mark_track: Uint32Array.of(0), mark_count: Uint32Array.of(1) },
};
/** Heights in the tracks: the call, the short ones, the head of the second process, the kernel. */
const [CALL, SHORT, GPU, KERNEL] = [33, 51, 78, 99];
const call = { slice: 5, track: 0, row: 0, begin: 10_000, duration: 40_000 };
const kernel = { slice: 9, track: 1, row: 0, begin: 60_000, duration: 20_000 };

let props: Props;
const tracks = () => page.getByTestId("timeline-tracks");
const ruler = () => page.getByTestId("timeline-ruler");
const shown = () => vi.mocked(props.onrange).mock.lastCall![0];

beforeEach(async () => {
  props = render<Props>(TimelineChart, {
    ...{ label: "Timeline", layout: layoutTimeline(TRACKS, [], new Set()), duration: DURATION, range: { begin: 0, end: DURATION } },
    ...{ window: WINDOW, overview: null, steps: [], hasMarks: true, selected: null, arrows: [], area: null, hits: null, matches: null },
    ...{ onrange: vi.fn(), onsight: vi.fn(), onslice: vi.fn(), onarea: vi.fn(), ontoggle: vi.fn(), onhover: vi.fn() },
  });
  const chart = page.getByTestId("timeline").element() as HTMLElement;
  chart.style.cssText = `position: fixed; top: 0; left: 0; width: ${NAMES + WIDTH}px; height: ${HEIGHT}px`;
  await vi.waitFor(() => expect(vi.mocked(props.onsight).mock.lastCall![0]).toBe(WIDTH));
  chart.focus();
});

function pointer(element: Element, type: string, x: number, y: number, more: PointerEventInit = {}): void {
  (element as HTMLElement).setPointerCapture = () => undefined; // a made event has no pointer
  const { left, top } = element.getBoundingClientRect();
  element.dispatchEvent(new PointerEvent(type, { clientX: left + x, clientY: top + y, button: 0, pointerId: 1, bubbles: true, ...more }));
}

function drag(element: Element, from: readonly [number, number], to: readonly [number, number], more: PointerEventInit = {}): void {
  pointer(element, "pointerdown", ...from, more);
  pointer(element, "pointermove", ...to, more);
  pointer(element, "pointerup", ...to, more);
}

function wheel(element: Element, x: number, more: WheelEventInit): boolean {
  const { left, top } = element.getBoundingClientRect();
  return element.dispatchEvent(new WheelEvent("wheel", { clientX: left + x, clientY: top + 50, bubbles: true, cancelable: true, ...more }));
}

describe("keys", () => {
  test.each([
    ["w", 12_500, 87_500],
    ["+", 12_500, 87_500],
    ["s", -1000, 101_000],
    ["-", -1000, 101_000],
    ["0", -1000, 101_000],
    ["f", -1000, 101_000],
  ])("%s shows another range", async (key, begin, end) => {
    await userEvent.keyboard(key);
    expect(shown()).toEqual({ begin, end });
  });

  test("A, D and arrows move, with Shift four times as far", async () => {
    props.range = { begin: 40_000, end: 50_000 };
    for (const [key, begin] of [
      ["d", 41_200],
      ["{ArrowRight}", 41_200],
      ["a", 38_800],
      ["{ArrowLeft}", 38_800],
      ["{Shift>}{ArrowRight}{/Shift}", 44_800],
      ["{Shift>}a{/Shift}", 35_200],
    ] as const) {
      await userEvent.keyboard(key);
      expect(shown()).toEqual({ begin, end: begin + 10_000 });
    }
  });

  test("up and down scroll, and keys with Ctrl are the browser's", async () => {
    (page.getByTestId("timeline").element() as HTMLElement).style.height = "150px";
    const scroller = tracks().element().closest(".scroller")!;
    await userEvent.keyboard("{ArrowDown}");
    await vi.waitFor(() => expect(scroller.scrollTop).toBe(36));
    await userEvent.keyboard("{ArrowUp}");
    expect(scroller.scrollTop).toBe(0);
    const event = new KeyboardEvent("keydown", { key: "d", ctrlKey: true, bubbles: true, cancelable: true });
    expect(tracks().element().dispatchEvent(event)).toBe(true);
    expect(props.onrange).not.toHaveBeenCalled();
  });

  test("F fits the slice, else the range; Esc clears the range, then the slice", async () => {
    const area = { begin: 20_000, end: 30_000, tracks: null };
    props.area = area;
    await userEvent.keyboard("f{Escape}");
    expect(shown()).toEqual({ begin: 20_000, end: 30_000 });
    expect(props.onarea).toHaveBeenCalledExactlyOnceWith(null);
    [props.area, props.selected] = [null, call];
    await userEvent.keyboard("f{Escape}");
    expect(shown()).toEqual(around(10_000, 40_000, DURATION, 0.2));
    expect(props.onslice).toHaveBeenCalledExactlyOnceWith(null);
  });
});

describe("the mouse", () => {
  test("a click chooses a slice, the longest one of a cell, or none", async () => {
    for (const [x, y, slice] of [
      [300, CALL, 5],
      [150, SHORT, 7],
      [700, KERNEL, 9],
      [300, KERNEL, null],
    ] as const) {
      await tracks().click({ position: { x, y } });
      expect(props.onslice).toHaveBeenLastCalledWith(slice);
    }
    await tracks().click({ position: { x: 300, y: GPU } });
    expect(vi.mocked(props.ontoggle).mock.lastCall![0]).toMatchObject({ kind: "process", name: "GPU" });
    await page.getByTestId("timeline-track").first().click();
    expect(vi.mocked(props.ontoggle).mock.lastCall![0]).toMatchObject({ kind: "track" });
  });

  test("a double click shows a slice, the pointer its tip", async () => {
    await tracks().dblClick({ position: { x: 700, y: KERNEL } });
    expect(shown()).toEqual(around(60_000, 20_000, DURATION, 0.2));
    await tracks().hover({ position: { x: 300, y: CALL } });
    expect(vi.mocked(props.onhover).mock.lastCall![0]).toMatchObject({ found: { slice: 5, name: "aten::linear", duration: 40_000 } });
    await tracks().hover({ position: { x: 150, y: SHORT } });
    expect(vi.mocked(props.onhover).mock.lastCall![0]).toMatchObject({ found: { slice: 7, name: null, count: 3 } });
    await ruler().hover({ position: { x: 560, y: 80 } });
    expect(vi.mocked(props.onhover).mock.lastCall![0]).toMatchObject({ mark: { name: "cycle", time: 55_000 } });
    await page.getByTestId("timeline-track").first().hover();
    expect(props.onhover).toHaveBeenLastCalledWith(null);
  });

  test("a drag moves, with Shift it selects; one that the system ends selects nothing", () => {
    props.range = { begin: 40_000, end: 50_000 };
    drag(tracks().element(), [300, CALL], [200, CALL]);
    expect(shown()).toEqual({ begin: 41_000, end: 51_000 });
    expect(props.onslice).not.toHaveBeenCalled();
    drag(tracks().element(), [500, SHORT], [100, CALL], { shiftKey: true });
    expect(props.onarea).toHaveBeenCalledExactlyOnceWith({ begin: 41_000, end: 45_000, tracks: [0] });
    pointer(tracks().element(), "pointerdown", 100, CALL, { shiftKey: true });
    pointer(tracks().element(), "pointermove", 500, SHORT, { shiftKey: true });
    pointer(tracks().element(), "pointercancel", 500, SHORT, { shiftKey: true });
    pointer(tracks().element(), "pointerup", 500, SHORT, { shiftKey: true });
    expect(props.onarea).toHaveBeenCalledOnce();
  });

  test("the wheel zooms with Ctrl around the pointer, moves with Shift or sideways, and else scrolls", () => {
    props.range = { begin: 40_000, end: 50_000 };
    wheel(tracks().element(), 250, { deltaY: -100, ctrlKey: true });
    const width = 10_000 * Math.exp(-0.3);
    expect(shown().end - shown().begin).toBeCloseTo(width);
    expect(shown().begin + width / 4).toBeCloseTo(42_500);
    wheel(tracks().element(), 250, { deltaY: 100, shiftKey: true });
    expect(shown()).toEqual({ begin: 41_000, end: 51_000 });
    wheel(tracks().element(), 250, { deltaX: -50, deltaY: 10 });
    expect(shown()).toEqual({ begin: 39_500, end: 49_500 });
    vi.mocked(props.onrange).mockClear();
    expect(wheel(tracks().element(), 250, { deltaY: 100 })).toBe(true);
    expect(props.onrange).not.toHaveBeenCalled();
  });

  test("two fingers zoom and move, and choose nothing when they leave", () => {
    props.range = { begin: 40_000, end: 50_000 };
    vi.mocked(props.onrange).mockImplementation((range) => (props.range = range));
    const [one, other] = [1, 2].map((pointerId) => ({ pointerId, pointerType: "touch" }));
    pointer(tracks().element(), "pointerdown", 400, CALL, one);
    pointer(tracks().element(), "pointerdown", 600, CALL, other);
    pointer(tracks().element(), "pointermove", 300, CALL, one);
    pointer(tracks().element(), "pointermove", 700, CALL, other);
    expect(shown().begin).toBeCloseTo(42_500);
    expect(shown().end).toBeCloseTo(47_500);
    pointer(tracks().element(), "pointermove", 400, CALL, one);
    pointer(tracks().element(), "pointermove", 800, CALL, other);
    expect(shown().begin).toBeCloseTo(42_000);
    expect(shown().end).toBeCloseTo(47_000);
    pointer(tracks().element(), "pointerup", 400, CALL, one);
    pointer(tracks().element(), "pointermove", 500, CALL, other);
    pointer(tracks().element(), "pointerup", 500, CALL, other);
    expect(shown().begin).toBeCloseTo(42_000);
    expect(props.onslice).not.toHaveBeenCalled();
  });
});

describe("the minimap and the axis", () => {
  test("a press or drag in the minimap moves the range there", () => {
    props.range = { begin: 40_000, end: 50_000 };
    drag(ruler().element(), [200, 10], [800, 60]);
    expect(vi.mocked(props.onrange).mock.calls[0]![0]).toEqual({ begin: 14_400, end: 24_400 });
    expect(shown()).toEqual({ begin: 75_600, end: 85_600 });
    expect(props.onarea).not.toHaveBeenCalled();
  });

  test("a drag in the axis selects a range of all tracks, a click clears it, other buttons do nothing", () => {
    drag(ruler().element(), [600, 60], [200, 60]);
    expect(props.onarea).toHaveBeenLastCalledWith({ begin: 20_000, end: 60_000, tracks: null });
    drag(ruler().element(), [600, 60], [601, 60]);
    expect(props.onarea).toHaveBeenLastCalledWith(null);
    vi.mocked(props.onarea).mockClear();
    drag(ruler().element(), [600, 60], [200, 60], { button: 2 });
    pointer(ruler().element(), "pointerdown", 600, 60);
    pointer(ruler().element(), "pointercancel", 200, 60);
    pointer(ruler().element(), "pointerup", 200, 60);
    expect(props.onarea).not.toHaveBeenCalled();
    expect(props.onrange).not.toHaveBeenCalled();
  });

  test("the wheel zooms, and with Shift it moves", () => {
    props.range = { begin: 40_000, end: 50_000 };
    wheel(ruler().element(), 500, { deltaY: 100 });
    expect(shown().end - shown().begin).toBeCloseTo(10_000 * Math.exp(0.3));
    wheel(ruler().element(), 500, { deltaY: 100, shiftKey: true });
    expect(shown()).toEqual({ begin: 41_000, end: 51_000 });
  });
});

function pixel(canvas: Element, x: number, y: number): readonly number[] {
  const of = canvas as HTMLCanvasElement;
  return [...of.getContext("2d")!.getImageData(Math.round(x * devicePixelRatio), Math.round(y * devicePixelRatio), 1, 1).data];
}

test("arrows, marks, the chosen range and what is chosen are painted", async () => {
  const ends = [598, KERNEL] as const;
  await vi.waitFor(() => expect(pixel(tracks().element(), 300, CALL + 6)[3]).toBe(255));
  expect(pixel(tracks().element(), ...ends)[3]).toBe(0);
  const [mark, beside] = [550, 560].map((x) => [0, 1, 2, 3, 4].map((y) => pixel(tracks().element(), x, 140 + y)[3]!));
  expect(Math.max(...mark!)).toBeGreaterThan(0);
  expect(Math.max(...beside!)).toBe(0);
  expect(pixel(ruler().element(), 550, 82)[3]).toBe(255);
  [props.arrows, props.selected] = [[{ from: call, to: kernel }], kernel];
  await vi.waitFor(() => expect(pixel(tracks().element(), ...ends)[3]).toBeGreaterThan(200));
  const frame = pixel(tracks().element(), 700, 90);
  expect(frame).not.toEqual(pixel(tracks().element(), 700, KERNEL));
  props.area = { begin: 85_000, end: 95_000, tracks: null };
  await vi.waitFor(() => expect(pixel(tracks().element(), 900, 130)[3]).toBeGreaterThan(0));
});

test("slices with other names than those that are searched are pale", async () => {
  await vi.waitFor(() => expect(pixel(tracks().element(), 300, CALL + 6)[3]).toBe(255));
  props.matches = (name) => name === "gemm";
  await vi.waitFor(() => expect(pixel(tracks().element(), 300, CALL + 6)[3]).toBeLessThan(100));
  expect(pixel(tracks().element(), 700, KERNEL + 6)[3]).toBe(255);
});

test("what is in sight becomes a picture with its names", async () => {
  let picture: TitledPicture | null = null;
  props.onpicture = (next: TitledPicture | null) => (picture = next);
  await vi.waitFor(() => expect(picture).not.toBeNull());
  const { size, paint } = picture!("trace");
  expect(size).toEqual({ width: NAMES - 1 + WIDTH, height: 90 + 114 });
  const surface = new OffscreenCanvas(size.width, size.height).getContext("2d")!;
  await vi.waitFor(() => {
    paint(surface as unknown as Parameters<typeof paint>[0], 1, () => "black");
    expect(surface.getImageData(NAMES + 700, 90 + KERNEL + 6, 1, 1).data[3]).toBe(255);
  });
  expect([...surface.getImageData(0, 90, NAMES, 24).data].some((each, place) => place % 4 === 3 && each > 0)).toBe(true);
});
