// SPDX-License-Identifier: Apache-2.0
import { page, userEvent } from "@vitest/browser/context";
import type { ComponentProps } from "svelte";
import { expect, test, vi } from "vitest";

import { render } from "../../../tests/render.svelte";
import FlameChart from "./FlameChart.svelte";

type Props = ComponentProps<typeof FlameChart> & Record<string, unknown>;

test("arrow keys go through the calls, and Enter shows one over the whole width", async () => {
  const props: Props = render<Props>(FlameChart, {
    label: "Calls",
    flame: {
      ...{ names: ["a", "b"], colors: [0, 1], left_out: 0, parent: Int32Array.of(-1, 0), name: Uint32Array.of(0, 1) },
      ...{ count: Float64Array.of(1, 1), total: Float64Array.of(80, 20), own: Float64Array.of(60, 20) },
    },
    matches: null,
    zoomed: null,
    onzoom: (key: string | null) => (props.zoomed = key),
    onhover: vi.fn(),
  });
  const canvas = page.getByTestId("flame");
  await expect.poll(() => (canvas.element() as HTMLCanvasElement).width).toBeGreaterThan(300);
  (canvas.element() as HTMLElement).focus();
  await userEvent.keyboard("{ArrowRight}{ArrowDown}");
  expect(vi.mocked(props.onhover).mock.lastCall![0]).toMatchObject({ mark: 1, isByKey: true });
  const rows = canvas.element().clientHeight;
  await userEvent.keyboard("{Enter}");
  await expect.poll(() => canvas.element().clientHeight).toBeLessThan(rows);
  await userEvent.keyboard("{Escape}");
  expect(props.onhover).toHaveBeenLastCalledWith(null);
});
