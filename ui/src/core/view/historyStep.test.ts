// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from "vitest";

import { historyStep } from "./historyStep";
import { queryToView } from "./urlState";

function stepAt(query: string): string {
  return historyStep(queryToView(query));
}

describe("a step in the history", () => {
  it.each(["full=loss", "details=a", "show=table", "log_line=0.4", "log=a", "rows_row=3", "memory_block=4", "dashboard=a"])(
    "is made by %s",
    (query) => {
      expect(stepAt(query)).not.toBe(stepAt(""));
    },
  );

  it.each([
    "tag=loss",
    "smoothing=0.5",
    "axis=wall",
    "run=a",
    "zoom=0,1,0,1,loss",
    "log_filter=x",
    "rows_filter=x",
    "step=3",
    'chart=["a","b"]',
  ])("is not made by %s", (query) => {
    expect(stepAt(query)).toBe(stepAt(""));
  });
});
