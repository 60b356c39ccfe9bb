// SPDX-License-Identifier: Apache-2.0
import { page } from "@vitest/browser/context";
import { expect, onTestFinished, test } from "vitest";

import { render } from "../../../../tests/render.svelte";
import { ROWS_VIEW } from "../../../core/view/profileRows";
import { view } from "../../../state/view/view.svelte";
import RowsPath from "./RowsPath.svelte";

test("a step of the path goes back to the rows from which the next one was chosen", async () => {
  const before = location.href;
  onTestFinished(() => history.replaceState(null, "", before));
  const where = [
    { column: "type", text: "mm" },
    { column: "name", text: "aten::mm" },
  ];
  view.setProfiles({ tab: "operators", rows: { ...ROWS_VIEW.defaultValue, group: "each", where, row: 3 } });
  render(RowsPath, { part: "operators" });
  await expect.element(page.getByText("Name: aten::mm")).toHaveAttribute("aria-current", "page");
  await page.getByRole("button", { name: "Type: mm" }).click();
  expect(view.profiles.rows).toEqual({ ...ROWS_VIEW.defaultValue, group: "name", where: where.slice(0, 1) });
  await page.getByRole("button", { name: "All operators" }).click();
  expect(view.profiles.rows).toEqual({ ...ROWS_VIEW.defaultValue, group: "type" });
});
