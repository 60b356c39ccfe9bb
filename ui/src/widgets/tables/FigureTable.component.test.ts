// SPDX-License-Identifier: Apache-2.0
import { page } from "@vitest/browser/context";
import type { Component, ComponentProps } from "svelte";
import { expect, test } from "vitest";

import { render } from "../../../tests/render.svelte";
import FigureTable from "./FigureTable.svelte";

type Given = ComponentProps<typeof FigureTable<string>>;
/** A type that has an index signature, as `render` wants. */
type Props = { [Name in keyof Given]: Given[Name] };

const SIZES: Record<string, number> = { mul: 2, add: 3, sub: 1 };

async function show(given: Partial<Props>, clicks: number): Promise<(string | undefined)[]> {
  const column = { key: "size", title: "Size", value: (row: string) => SIZES[row]!, text: (row: string) => `${SIZES[row]} B` };
  const props = { rows: Object.keys(SIZES), name: (row: string) => row, nameTitle: "Operator", columns: [column], file: "sizes" };
  render<Props>(FigureTable as Component<Props>, { ...props, testid: "sizes", ...given });
  for (let click = 0; click < clicks; click++) await page.getByRole("button", { name: "Size" }).click();
  await expect.poll(() => page.getByRole("rowheader").elements().length).toBe(3);
  return page
    .getByRole("rowheader")
    .elements()
    .map((each) => each.textContent?.trim());
}

test.each([
  [0, ["mul", "add", "sub"]],
  [1, ["add", "mul", "sub"]],
  [2, ["sub", "mul", "add"]],
  [3, ["mul", "add", "sub"]],
])("lines of a chart after %i presses on a head", async (clicks, wanted) => {
  expect(await show({}, clicks)).toEqual(wanted);
});

test.each([
  [0, ["add", "mul", "sub"]],
  [1, ["sub", "mul", "add"]],
  [2, ["add", "mul", "sub"]],
])("rows that are always sorted after %i presses on a head", async (clicks, wanted) => {
  expect(await show({ first: "size" }, clicks)).toEqual(wanted);
});

test("the selected row is in sight, a press on a name chooses a row", async () => {
  const chosen: string[] = [];
  await show({ selected: "sub", onchoose: (row) => chosen.push(row) }, 0);
  await expect.element(page.getByRole("row", { name: "sub" })).toHaveAttribute("aria-selected", "true");
  await page.getByRole("button", { name: "mul" }).click();
  expect(chosen).toEqual(["mul"]);
});
