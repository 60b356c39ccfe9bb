// SPDX-License-Identifier: Apache-2.0
import { page } from "@vitest/browser/context";
import { expect, onTestFinished, test } from "vitest";

import { render } from "../../../../tests/render.svelte";
import { view } from "../../../state/view/view.svelte";
import { firstBad } from "./firstBadExample";
import FirstBadReport from "./FirstBadReport.svelte";

test("an entry of the chain opens its tensor in the statistics of the step, without a filter", async () => {
  const before = location.href;
  onTestFinished(() => history.replaceState(null, "", before));
  view.setDebug({ tab: "findings", filter: { text: "nothing", isRegex: false } });
  render(FirstBadReport, {
    of: { run: "run", source: "." },
    found: { ...firstBad(), growth: [] },
    hasRanks: false,
    figures: ["nan", "min", "max"],
  });
  await expect.element(page.getByRole("heading", { level: 2 })).toHaveTextContent("head/aten::log returns NaN and −Inf in 601 of");
  await expect.element(page.getByRole("row", { name: "input 0" })).toHaveTextContent("512");
  await page.getByRole("button", { name: "gradient of fc1.weight" }).click();
  expect(view.debug).toMatchObject({ tab: "statistics", rank: 0, step: 50, row: 9, filter: { text: "" } });
});
