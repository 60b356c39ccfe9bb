// SPDX-License-Identifier: Apache-2.0
import { page } from "@vitest/browser/context";
import { expect, onTestFinished, test } from "vitest";

import { render } from "../../tests/render.svelte";
import { pageLocation } from "../state/view/location.svelte";
import NotFoundPage from "./NotFoundPage.svelte";

test("an address without a page says so and leads to the runs", async () => {
  const before = location.href;
  onTestFinished(() => history.replaceState(null, "", before));
  pageLocation.open("/no-such-page");
  render(NotFoundPage, {});
  await expect.element(page.getByTestId("not-found")).toHaveTextContent("/no-such-page");
  await page.getByRole("button", { name: "Runs" }).click();
  expect(pageLocation.path).toBe("/");
});
