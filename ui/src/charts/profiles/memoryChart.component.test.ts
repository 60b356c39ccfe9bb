// SPDX-License-Identifier: Apache-2.0
import { page, userEvent } from "@vitest/browser/context";
import { expect, test, vi } from "vitest";

import { render } from "../../../tests/render.svelte";
import type { MemoryWindow, SizeWindow } from "../../core/profiles/memory";
import MemoryChart from "./MemoryChart.svelte";
import { MEMORY_FRAME } from "./paintMemory";
import StepLines from "./StepLines.svelte";

const allocated: SizeWindow = {
  ...{ before: 0, pixel: Uint16Array.of(100), low: Float64Array.of(0), high: Float64Array.of(9), last: Float64Array.of(4) },
};
const window: MemoryWindow = {
  ...{ version: "1", begin_ns: 0, pixel_ns: 10, width: 500, curves: [{ curve: 0, allocated, reserved: null }], areas: null },
};

/** A chart of 500 pixels for 5,000 ns. */
function memoryChart() {
  const calls = { onsight: vi.fn(), onrange: vi.fn(), ontime: vi.fn(), onhover: vi.fn() };
  render(MemoryChart, {
    ...{ label: "Memory", whole: { begin: 0, end: 5000 }, range: { begin: 0, end: 5000 }, window, lines: [{ curve: 0, color: "red" }] },
    ...{ areaColors: null, peak: null, time: 2500, memory: 0, formatTime: null, ...calls },
  });
  const canvas = page.getByTestId("memory-chart");
  const room = canvas.element().parentElement!;
  room.style.cssText = `position: fixed; top: 0; left: 0; width: ${500 + MEMORY_FRAME.left}px; height: 200px`;
  return { canvas, calls };
}

test("a click chooses a moment, a drag a range", async () => {
  const { canvas, calls } = memoryChart();
  await vi.waitFor(() => expect(calls.onsight).toHaveBeenLastCalledWith(500));
  await canvas.click({ position: { x: MEMORY_FRAME.left + 100, y: 50 } });
  expect(calls.ontime).toHaveBeenLastCalledWith(1000);
  expect(calls.onhover).toHaveBeenCalledWith(expect.objectContaining({ pixel: 100 }));
  const at = (x: number, type: string): boolean =>
    canvas
      .element()
      .dispatchEvent(new PointerEvent(type, { clientX: MEMORY_FRAME.left + x, clientY: 50, button: 0, pointerId: 1, bubbles: true }));
  (canvas.element() as HTMLElement).setPointerCapture = () => undefined; // a made event has no pointer
  at(50, "pointerdown");
  at(150, "pointermove");
  at(150, "pointerup");
  expect(calls.onrange).toHaveBeenLastCalledWith({ begin: 500, end: 1500 });
});

test("keys move the moment by a pixel, zoom and show all", async () => {
  const { canvas, calls } = memoryChart();
  await vi.waitFor(() => expect(calls.onsight).toHaveBeenLastCalledWith(500));
  (canvas.element() as HTMLElement).focus();
  await userEvent.keyboard("{ArrowRight}");
  expect(calls.ontime).toHaveBeenLastCalledWith(2510);
  await userEvent.keyboard("w");
  expect(calls.onrange).toHaveBeenLastCalledWith({ begin: 1250, end: 3750 });
  await userEvent.keyboard("0");
  expect(calls.onrange).toHaveBeenLastCalledWith(null);
});

test("lines choose the nearest step, also by keys", async () => {
  const [onchoose, onhover] = [vi.fn(), vi.fn()];
  const lines = [{ key: "a", color: "red", x: Float64Array.of(1, 2, 3), y: Float64Array.of(5, 9, 5) }];
  render(StepLines, {
    ...{ label: "Steps", lines, most: 1, xTicks: null, yTicks: () => [], limit: null, chosen: 2, onhover, onchoose, testid: "lines" },
  });
  const canvas = page.getByTestId("lines");
  canvas.element().parentElement!.style.cssText = "position: fixed; top: 0; left: 0; width: 488px; height: 200px";
  await expect.poll(() => canvas.element().getBoundingClientRect().width).toBe(488);
  await canvas.click({ position: { x: 450, y: 100 } });
  expect(onchoose).toHaveBeenLastCalledWith(3);
  expect(onhover).toHaveBeenLastCalledWith(expect.objectContaining({ x: 3 }));
  (canvas.element() as HTMLElement).focus();
  await userEvent.keyboard("{ArrowLeft}");
  expect(onchoose).toHaveBeenLastCalledWith(1);
});
