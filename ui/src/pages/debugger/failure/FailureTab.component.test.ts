// SPDX-License-Identifier: Apache-2.0
import { page } from "@vitest/browser/context";
import { expect, test } from "vitest";

import { render } from "../../../../tests/render.svelte";
import "../debugWords";
import FailureTab from "./FailureTab.svelte";

test("equal problems of two files are both shown", async () => {
  const problem = "it names a class, want plain values only";
  render(FailureTab, { failures: { failures: [], ranks: [], mismatches: [], problems: [problem, problem] } });
  await expect.poll(() => page.getByText(problem).elements().length).toBe(2);
});
