// SPDX-License-Identifier: Apache-2.0
import { page, userEvent } from "@vitest/browser/context";
import { expect, test } from "vitest";

import { render } from "../../../tests/render.svelte";
import CheckboxList from "./CheckboxList.svelte";

const NAMES = Array.from({ length: 1000 }, (_, index) => `tag_${index}`);
const box = (name: string) => page.getByRole("checkbox", { name, exact: true });

function show(...taken: string[]) {
  const props = render(CheckboxList, {
    label: "Filter tags",
    names: NAMES,
    taken: new Set(taken) as ReadonlySet<string>,
    all: "All",
    onchange: (next: ReadonlySet<string>) => (props.taken = next),
    testid: "tags",
  });
  return props;
}

test("of a thousand names only those in sight are elements", async () => {
  show("tag_0");
  await expect.element(box("tag_0")).toBeChecked();
  expect(page.getByRole("listitem").elements().length).toBeLessThan(60);
  page.getByTestId("tags-rows").element().scrollTop = 28 * 990;
  await expect.element(box("tag_999")).toBeVisible();
  await expect.element(box("tag_0")).not.toBeInTheDocument();
});

test("the box above takes and leaves what matches the filter", async () => {
  const props = show("tag_1");
  expect(box("All").element()).toHaveProperty("indeterminate", true);
  await page.getByRole("searchbox", { name: "Filter tags" }).fill("tag_99");
  await expect.element(box("tag_990")).toBeVisible();
  await box("All").click();
  expect([...props.taken].sort()).toEqual(["tag_1", "tag_99", ...NAMES.slice(990)].sort());
  await expect.element(box("All")).toBeChecked();
  await box("All").click();
  expect([...props.taken]).toEqual(["tag_1"]);
});

test("up and down go from row to row, space ticks", async () => {
  const props = show();
  (box("tag_3").element() as HTMLElement).focus();
  await userEvent.keyboard("{ArrowDown}{ArrowDown}{ArrowUp}");
  await expect.element(box("tag_4")).toHaveFocus();
  await userEvent.keyboard(" ");
  expect([...props.taken]).toEqual(["tag_4"]);
});
