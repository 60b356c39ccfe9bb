// SPDX-License-Identifier: Apache-2.0
import { page } from "@vitest/browser/context";
import { expect, test } from "vitest";

import { render } from "../../../tests/render.svelte";
import LogHistogram from "./LogHistogram.svelte";

test("its picture says how many messages of each level there are", async () => {
  const histogram = {
    start: 1000,
    end: 1010,
    is_complete: true,
    counts: { error: [1, 0, 2], info: [0, 4, 0], debug: [0, 0, 0] },
    steps: [],
  };
  render(LogHistogram, { histogram, onpick: () => {}, onrange: () => {} });
  await expect.element(page.getByRole("img", { name: "Messages over time · 4 INFO · 3 ERROR" })).toBeInTheDocument();
});

test("numbers of steps stay within the chart, and off each other", async () => {
  const steps = Array.from({ length: 1000 }, (_, index) => ({ step: index + 1_000_000, wall_time: 1000 + index / 100 }));
  render(LogHistogram, {
    histogram: { start: 1000, end: 1010, is_complete: true, counts: { error: [1, 0, 2] }, steps },
    onpick: () => {},
    onrange: () => {},
  });
  const chart = page.getByTestId("log-histogram").element();
  await expect.poll(() => chart.querySelectorAll(".step").length).toBeGreaterThan(5);
  const boxes = [...chart.querySelectorAll(".step")].map((label) => label.getBoundingClientRect());
  const { right } = chart.getBoundingClientRect();
  boxes.forEach((box, index) => {
    expect(box.right).toBeLessThanOrEqual(right);
    if (index > 0) expect(box.left).toBeGreaterThanOrEqual(boxes[index - 1]!.right);
  });
});
