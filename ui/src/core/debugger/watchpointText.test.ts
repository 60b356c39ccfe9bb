// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from "vitest";

import { faultOf, isAccepted, numberOf, watchText, type WatchFields, type WatchParameter } from "./watchpointText";

const parameter = (name: string, more: Partial<WatchParameter> = {}): WatchParameter => ({
  ...{ name, usual: null, low: null, high: null, isLowExcluded: false, isCompared: true },
  ...more,
});
const MAX = parameter("max_gt");
const RANGE = [
  parameter("range_start_inclusive", { isCompared: false }),
  parameter("range_end_inclusive", { isCompared: false }),
  parameter("range_percentage_lt", { low: 0, high: 100 }),
];
const fields = (name: string, values: Record<string, string>, more: Partial<WatchFields> = {}): WatchFields => ({
  ...{ name, values, forSteps: "", patterns: "" },
  ...more,
});

describe("the text of a watchpoint", () => {
  it("has the condition and what differs from the usual", () => {
    expect(watchText(fields("tensor_too_large", { max_gt: " 1e4 " }), [MAX], 1)).toBe("tensor_too_large max_gt=10000");
    const usual = parameter("zero_percentage_ge", { usual: 100 });
    expect(watchText(fields("tensor_all_zero", { zero_percentage_ge: "100" }), [usual], 1)).toBe("tensor_all_zero");
    expect(watchText(fields("tensor_all_zero", { zero_percentage_ge: "0" }), [usual], 1)).toBe("tensor_all_zero zero_percentage_ge=0");
  });

  it("has steps and patterns", () => {
    const more = { forSteps: "5", patterns: " encoder.*, ,fc " };
    expect(watchText(fields("dead_relu", {}, more), [], 3)).toBe("dead_relu for 5 @ encoder.*,fc");
    expect(watchText(fields("dead_relu", {}, { forSteps: "3" }), [], 3)).toBe("dead_relu");
    expect(watchText(fields("dead_relu", {}, { forSteps: "-2.4" }), [], 3)).toBe("dead_relu for 1");
  });
});

describe("fields of a watchpoint", () => {
  it("takes finite numbers in the range", () => {
    const percent = parameter("zero_percentage_ge", { low: 0, high: 100 });
    expect(["", "0", "100", " 5e1 "].every((text) => isAccepted(text, percent))).toBe(true);
    expect(["-1", "101", "x", "1e999", "1,5"].some((text) => isAccepted(text, percent))).toBe(false);
    expect(isAccepted("0", parameter("max_min_lt", { low: 0, isLowExcluded: true }))).toBe(false);
    expect(numberOf("−3")).toBe(-3);
  });

  it("says what is missing", () => {
    expect(faultOf(fields("TL", {}), [MAX])).toBe("nothing_set");
    expect(faultOf(fields("TL", { max_gt: "1" }), [MAX])).toBeNull();
    expect(faultOf(fields("TO", {}), [])).toBeNull();
    expect(faultOf(fields("TR", { range_percentage_lt: "5", range_start_inclusive: "0" }), RANGE)).toBe("range_needed");
    expect(faultOf(fields("TR", { range_percentage_lt: "5" }), [...RANGE.map((each) => ({ ...each, usual: 0 }))])).toBeNull();
  });
});
