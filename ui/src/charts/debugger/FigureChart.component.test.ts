// SPDX-License-Identifier: Apache-2.0
import { page, userEvent } from "@vitest/browser/context";
import type { ComponentProps } from "svelte";
import { expect, test, vi } from "vitest";

import { render } from "../../../tests/render.svelte";
import FigureChart from "./FigureChart.svelte";

test("the curve of a tensor marks faults and goes to steps by keyboard", async () => {
  const onchoose = vi.fn();
  const step = Float64Array.of(10, 20, 30, 40);
  const props: ComponentProps<typeof FigureChart> & Record<string, unknown> = {
    label: "Max over steps",
    step,
    value: Float64Array.of(1, 4, NaN, 2),
    nonFinite: Float64Array.of(0, 0, 5, 0),
    text: String,
    chosen: 20,
    onchoose,
    testid: "curve",
  };
  render(FigureChart, props);
  const container = document.body;
  await expect.poll(() => container.querySelectorAll(".mark").length).toBe(1);
  expect(container.querySelectorAll("polyline")).toHaveLength(1);
  await expect.element(page.getByText("20: 4")).toBeInTheDocument();
  (page.getByTestId("curve").element() as HTMLElement).focus();
  await userEvent.keyboard("{ArrowRight}{Home}{End}");
  expect(onchoose.mock.calls).toEqual([[30], [10], [40]]);
});
