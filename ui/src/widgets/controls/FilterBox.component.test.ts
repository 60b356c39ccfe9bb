// SPDX-License-Identifier: Apache-2.0
import { page, userEvent } from "@vitest/browser/context";
import { expect, test } from "vitest";

import type { Filter } from "../../core/text/textFilter";
import { render } from "../../../tests/render.svelte";
import FilterBox from "./FilterBox.svelte";

const field = page.getByRole("searchbox", { name: "Filter tags" });

function show(filter: Filter) {
  const props = render(FilterBox, { label: "Filter tags", filter, onchange: (next: Filter) => (props.filter = next) });
  return props;
}

test("an invalid regular expression is reported in sight, and the message goes with its cause", async () => {
  const props = show({ text: "(loss", isRegex: true });
  const message = page.getByRole("alert");
  await expect.element(message).toHaveTextContent("Invalid regular expression: Unterminated group. Showing all.");
  await expect.element(field).toHaveAttribute("aria-invalid", "true");
  await expect.element(page.getByTitle(/^Invalid regular expression: /)).toBeVisible();
  const { width, height } = message.element().getBoundingClientRect();
  expect(width).toBeGreaterThan(100);
  expect(height).toBeGreaterThan(10);
  await field.fill("loss|acc");
  expect(props.filter).toEqual({ text: "loss|acc", isRegex: true });
  await expect.element(message).not.toBeInTheDocument();
  await expect.element(field).toHaveAttribute("aria-invalid", "false");
});

test("the button changes between words and regular expressions", async () => {
  const props = show({ text: "(", isRegex: false });
  const regex = page.getByRole("button", { name: "Regular expression" });
  await expect.element(regex).toHaveAttribute("aria-pressed", "false");
  await expect.element(field).toHaveAttribute("aria-invalid", "false");
  await regex.click();
  await expect.element(regex).toHaveAttribute("aria-pressed", "true");
  expect(props.filter).toEqual({ text: "(", isRegex: true });
});

test("Escape and the cross clear the text", async () => {
  const props = show({ text: "loss", isRegex: false });
  await field.click();
  await userEvent.keyboard("{Escape}");
  expect(props.filter.text).toBe("");
  await field.fill("acc");
  await page.getByRole("button", { name: "Clear filter" }).click();
  expect(props.filter.text).toBe("");
  await expect.element(page.getByRole("button", { name: "Clear filter" })).not.toBeInTheDocument();
});
