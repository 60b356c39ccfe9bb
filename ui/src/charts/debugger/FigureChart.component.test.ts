// SPDX-License-Identifier: Apache-2.0
import { page, userEvent } from "@vitest/browser/context";
import type { ComponentProps } from "svelte";
import { expect, test, vi } from "vitest";

import { render } from "../../../tests/render.svelte";
import { pictureFile, type TitledPicture } from "../frame/picture";
import FigureChart from "./FigureChart.svelte";

test("the curve of a tensor marks faults and goes to steps by keyboard", async () => {
  const onchoose = vi.fn();
  const onpicture = vi.fn<(picture: TitledPicture | null) => void>();
  const step = Float64Array.of(10, 20, 30, 40);
  const props: ComponentProps<typeof FigureChart> & Record<string, unknown> = {
    label: "Max over steps",
    step,
    value: Float64Array.of(1, 4, NaN, 2),
    nonFinite: Float64Array.of(0, 0, 5, 0),
    text: String,
    chosen: 20,
    onchoose,
    onpicture,
    testid: "curve",
  };
  render(FigureChart, props);
  const container = document.body;
  await expect.poll(() => container.querySelectorAll('path[fill="var(--bad)"]').length).toBe(1);
  expect(container.querySelectorAll('path[stroke="var(--series-0)"][fill="none"]')).toHaveLength(1);
  const file = await (await pictureFile(onpicture.mock.lastCall![0]!("Max <x>"), "svg")).text();
  expect(file).toContain("Max &lt;x&gt;");
  expect(file).not.toContain("var(");
  await expect.element(page.getByText("20: 4")).toBeInTheDocument();
  (page.getByTestId("curve").element() as HTMLElement).focus();
  await userEvent.keyboard("{ArrowRight}{Home}{End}");
  expect(onchoose.mock.calls).toEqual([[30], [10], [40]]);
});
