// SPDX-License-Identifier: Apache-2.0
import { page } from "@vitest/browser/context";
import { expect, test } from "vitest";

import { render } from "../../../../tests/render.svelte";
import { ModuleTree } from "../../../core/profiles/moduleTree";
import type { ColumnSort } from "../../../core/tables/columnSort";
import ModuleTable from "./ModuleTable.svelte";

const TREE = new ModuleTree({
  name: ["Net", "Linear_0", "Block", "Linear_1"],
  path: ["Net", "Net/Linear_0", "Net/Block", "Net/Block/Linear_1"],
  parent: [-1, 0, 0, 2],
  count: [1, 3, 1, 2],
  host_total_ns: [100, 10, 80, 30],
  host_self_ns: [10, 10, 50, 30],
  ...{ device_total_ns: null, device_self_ns: null, backward_ns: null, memory_bytes: null },
  flops: [0, 2_000_000, 0, 0],
});

function show(kept: ReadonlySet<number> | null = null) {
  const chosen: string[] = [];
  const props = render(ModuleTable, {
    tree: TREE,
    open: new Set([0]) as ReadonlySet<number>,
    kept,
    hot: new Set([0, 2]),
    sort: null as ColumnSort | null,
    onsort: (sort: ColumnSort | null) => (props.sort = sort),
    ontoggle: (row: number) => (props.open = new Set([...props.open, row])),
    onchoose: (path: string) => chosen.push(path),
  });
  (page.getByTestId("modules-table").element() as HTMLElement).style.height = "400px";
  return { props, chosen };
}

function names(): string[] {
  return page
    .getByRole("rowheader")
    .elements()
    .map((each) => each.textContent.trim());
}

test("modules are opened, sorted within their parent, and lead to their operators", async () => {
  const { chosen } = show();
  await expect.poll(names).toEqual(["Net", "Block", "Linear_0"]);
  await page.getByRole("button", { name: "Block", exact: true }).first().click();
  await expect.poll(names).toEqual(["Net", "Block", "Linear_1", "Linear_0"]);
  await page.getByRole("button", { name: "Count", exact: true }).click();
  await expect.poll(names).toEqual(["Net", "Linear_0", "Block", "Linear_1"]);
  await page.getByRole("button", { name: "Linear_1", exact: true }).click();
  expect(chosen).toEqual(["Net/Block/Linear_1"]);
});

test("columns that were not recorded are not there, shares are those of the roots", async () => {
  show();
  await expect.element(page.getByRole("columnheader", { name: "FLOPs" })).toBeVisible();
  await expect.element(page.getByRole("columnheader", { name: "Device total" })).not.toBeInTheDocument();
  await expect.element(page.getByRole("row", { name: "Block" })).toHaveTextContent("80.0 %");
});

test("a search shows what it found in its parents, or says that there is nothing", async () => {
  show(TREE.kept((path) => path.endsWith("Linear_1")));
  await expect.poll(names).toEqual(["Net", "Block", "Linear_1"]);
});

test("a search without a match says so", async () => {
  show(new Set());
  await expect.element(page.getByText("No row matches the filter")).toBeVisible();
});
