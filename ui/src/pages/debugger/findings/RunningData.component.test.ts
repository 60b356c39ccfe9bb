// SPDX-License-Identifier: Apache-2.0
import { page } from "@vitest/browser/context";
import { expect, test } from "vitest";

import { render } from "../../../../tests/render.svelte";
import "./findingsWords";
import RunningData from "./RunningData.svelte";

test("equal problems of two files are both shown", async () => {
  const problem = "it names a class, want plain values only";
  render(RunningData, {
    failures: { crashes: [], logs: 0, unclosed: [], failures: [], ranks: [], mismatches: [], problems: [problem, problem] },
  });
  await expect.poll(() => page.getByText(problem).elements().length).toBe(2);
});
