// SPDX-License-Identifier: Apache-2.0
import { page } from "@vitest/browser/context";
import { expect, test } from "vitest";

import { render } from "../../../tests/render.svelte";
import Markdown from "./Markdown.svelte";

const EVIL = `# Title

**bold** and <script>window.evil = 1</script> <img src=x onerror="window.evil = 2">
![far](http://example.invalid/far.png) [bad](javascript:window.evil=3) [good](https://example.invalid/)

| a | b |
|---|---|
| 1 | 2 |
`;

test("a text can do no harm", async () => {
  render(Markdown, { text: EVIL });
  const shown = page.getByTestId("markdown");
  await expect.element(shown.getByRole("heading", { name: "Title" })).toBeVisible();
  await expect.element(shown).toHaveTextContent("<script>window.evil = 1</script>");
  await expect.element(shown.getByRole("cell", { name: "2" })).toBeVisible();
  await expect.element(shown.getByRole("link", { name: "good" })).toHaveAttribute("rel", "noopener noreferrer");
  expect(shown.element().querySelectorAll("img, script, a[href^=javascript]")).toHaveLength(0);
  expect(window).not.toHaveProperty("evil");
});
