// SPDX-License-Identifier: Apache-2.0
import { page, userEvent } from "@vitest/browser/context";
import { expect, test } from "vitest";

import { render } from "../../../tests/render.svelte";
import { setLanguage } from "../../i18n/i18n.svelte";
import { side } from "../../state/view/sidebar.svelte";
import KeysButton from "./KeysButton.svelte";

const panel = page.getByTestId("keys-panel");
const button = page.getByTestId("keys");

test("a question mark lists the keys, and Escape gives the focus back", async () => {
  render(KeysButton, {});
  (button.element() as HTMLElement).focus();
  await userEvent.keyboard("?");
  await expect.element(panel).toHaveTextContent("previous or next point");
  await userEvent.keyboard("{Escape}");
  await expect.element(panel).not.toBeInTheDocument();
  await expect.element(button).toHaveFocus();
});

test("the list of keys changes its language at once", async () => {
  render(KeysButton, {});
  await button.click();
  await setLanguage("zh");
  await expect.element(panel).toHaveTextContent("上一个");
  expect(document.documentElement.lang).toBe("zh-CN");
  await setLanguage("en");
  await expect.element(panel).toHaveTextContent("previous or next point");
  expect(document.documentElement.lang).toBe("en");
});

test("a bracket opens and closes the run selection, except where text is typed or a dialog is open", async () => {
  render(KeysButton, {});
  const wasOpen = side.isOpen;
  await userEvent.keyboard("[[");
  expect(side.isOpen).toBe(!wasOpen);
  await userEvent.keyboard("[[");
  expect(side.isOpen).toBe(wasOpen);
  await button.click();
  await expect.element(panel).toBeVisible();
  await userEvent.keyboard("[[");
  expect(side.isOpen).toBe(wasOpen);
});
