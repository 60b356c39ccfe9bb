// SPDX-License-Identifier: Apache-2.0
import { page, userEvent } from "@vitest/browser/context";
import { expect, test } from "vitest";

import { render } from "../../../tests/render.svelte";
import Resizer from "./Resizer.svelte";

test.each([
  ["width", "vertical", "ArrowLeft", "ArrowRight", "ArrowUp"],
  ["height", "horizontal", "ArrowUp", "ArrowDown", "ArrowLeft"],
] as const)("the keys change the %s within its limits, and a double click resets it", async (side, orientation, less, more, other) => {
  const sizes: (number | null)[] = [];
  const onresize = (size: number | null) => void sizes.push(size);
  render(Resizer, { label: "Edge", side, at: "50px", size: 100, least: 90, most: 110, onresize, testid: "edge" });
  const edge = page.getByTestId("edge");
  await expect.element(edge).toHaveAttribute("aria-orientation", orientation);
  (edge.element() as HTMLElement).focus();
  await userEvent.keyboard(`{${less}}{${more}}{${other}}`);
  expect(sizes).toEqual([90, 110]);
  await edge.dblClick();
  expect(sizes.at(-1)).toBeNull();
});
