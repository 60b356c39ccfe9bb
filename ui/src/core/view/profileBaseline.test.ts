// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";

import { baselineOf, type ComparableProfile } from "./profileBaseline";

const entry = (run: string, profile: string, modified_at: number, format = "torch_trace"): ComparableProfile => ({
  ...{ run, profile, modified_at, format },
});
const of = entry("a", "2", 20);
const baseline = (...others: ComparableProfile[]): string | undefined => baselineOf(of, [of, ...others])?.profile;

test("the baseline of a profile is the one before it in its run, else another of the run, else the newest", () => {
  expect(baseline(entry("a", "0", 1), entry("a", "1", 10), entry("a", "3", 30), entry("b", "9", 90))).toBe("1");
  expect(baseline(entry("a", "3", 30), entry("b", "9", 90))).toBe("3");
  expect(baseline(entry("b", "8", 80), entry("b", "9", 90))).toBe("9");
  expect(baseline()).toBeUndefined();
});

test("profiles without operators are no baseline, and one of the same format comes first", () => {
  expect(baseline(entry("a", "memory", 10, "memory_snapshot"), entry("b", "9", 90))).toBe("9");
  expect(baseline(entry("a", "memory", 10, "memory_snapshot"))).toBeUndefined();
  expect(baseline(entry("b", "8", 80), entry("b", "9", 90, "xplane"))).toBe("8");
});
