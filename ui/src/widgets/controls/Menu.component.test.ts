// SPDX-License-Identifier: Apache-2.0
import { page, userEvent } from "@vitest/browser/context";
import { expect, test } from "vitest";

import { render } from "../../../tests/render.svelte";
import Menu from "./Menu.svelte";

const OPTIONS = [
  { value: "name", text: "Name" },
  { value: "state", text: "State" },
  { value: "updated", text: "Last update" },
];
const option = (name: string) => page.getByRole("button", { name, exact: true });

function open(value = ""): string[] {
  const chosen: string[] = [];
  render(Menu, { label: "Sort by", icon: "sort" as const, options: OPTIONS, value, onchoose: (next: string) => chosen.push(next) });
  return chosen;
}

test("the keys walk in a circle and choose", async () => {
  const chosen = open();
  await option("Sort by").click();
  await expect.element(option("Name")).toHaveFocus();
  for (const [key, name] of [
    ["ArrowDown", "State"],
    ["End", "Last update"],
    ["ArrowDown", "Name"],
    ["ArrowUp", "Last update"],
    ["Home", "Name"],
  ]) {
    await userEvent.keyboard(`{${key}}`);
    await expect.element(option(name!)).toHaveFocus();
  }
  await userEvent.keyboard("{ArrowDown}{Enter}");
  expect(chosen).toEqual(["state"]);
  await expect.element(option("State")).not.toBeInTheDocument();
});

test("the keys begin at the chosen option", async () => {
  open("updated");
  await option("Sort by").click();
  await expect.element(option("Last update")).toHaveFocus();
  await expect.element(option("Last update")).toHaveAttribute("aria-pressed", "true");
  await expect.element(option("Name")).toHaveAttribute("aria-pressed", "false");
});

test("Escape chooses nothing and gives the focus back", async () => {
  const chosen = open();
  await option("Sort by").click();
  await expect.element(option("Name")).toHaveFocus();
  await userEvent.keyboard("{Escape}");
  await expect.element(option("Sort by")).toHaveFocus();
  expect(chosen).toEqual([]);
});
