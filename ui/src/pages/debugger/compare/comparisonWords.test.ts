// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from "vitest";

import { fill } from "../../../i18n/fill";
import { t as english } from "../../../i18n/i18n.svelte";
import { zh } from "../../../i18n/zh";
import type { DebugComparison, DebugDifference } from "../../../state/data/debugComparison";
import { comparisonHead, comparisonNotes, coverageText } from "./comparisonWords";

const chinese: typeof english = (key, values = {}) => fill(zh[key], values);

const first: DebugDifference = {
  ...{
    step: 17,
    rank: 0,
    other_rank: 0,
    other_step: 17,
    left: "1/aten::mul",
    right: "act/Mul",
    phase: "forward",
    role: "output",
    slot: "0",
    order: 3,
  },
  ...{ inherited: 0, error: 0.0099, added: 0.0099, tolerance: 1e-5, differs: true, source_line: "", row: 7, other_row: 7 },
};

function comparison(change: Partial<DebugComparison> = {}): DebugComparison {
  const none = new Float64Array();
  return {
    ...{ version: "1", steps: 39, read_steps: 39, is_complete: true, unreadable_steps: 0, cause: "operator", first, bitwise: null },
    ...{ is_comparable: true, step_offset: 0, is_offset_found: false },
    ...{ operators: 1204, matched: 1095, unmatched_left: 109, unmatched_right: 0, by_hand: [] },
    ...{ step: none, error: none, unbounded: none, differing: none },
    ...change,
  };
}

describe("where two trainings part, in words", () => {
  it("names operator, step and errors", () => {
    expect(comparisonHead(comparison(), false, english)).toBe("From equal inputs, 1/aten::mul returns other values in step 17, forward");
    expect(comparisonHead(comparison({ cause: "batch" }), true, chinese)).toBe("第 17 步（rank 0）的输入批次已不同：1/aten::mul 的输出 0");
    expect(comparisonNotes(comparison(), english)).toEqual([
      "Relative error 0.00990: inherited 0, added 0.00990. Tolerance 1e−5.",
      "Counterpart: act/Mul",
    ]);
  });

  it("calls a null error unbounded", () => {
    const found = comparison({ first: { ...first, error: null, added: null } });
    expect(comparisonNotes(found, english)[0]).toContain("Relative error unbounded: inherited 0, added unbounded.");
  });

  it("says how far it read while nothing differs, and rounds the coverage down", () => {
    const none = { cause: "none", first: null } as const;
    expect(comparisonHead(comparison(none), false, english)).toBe("Nothing differs beyond the tolerance in 39 steps");
    expect(comparisonHead(comparison({ ...none, read_steps: 4, is_complete: false }), false, english)).toBe(
      "Nothing differs in the first 4 steps",
    );
    expect(coverageText(comparison({ operators: 1000, matched: 999 }), english)).toMatch(/^99 % of 1.?000 operators matched$/);
  });

  it("reports earlier bytes that differ", () => {
    const found = comparison({ bitwise: { ...first, step: 3 } });
    expect(comparisonNotes(found, english).at(-1)).toBe("Bytes differ first in step 3: output 0 of 1/aten::mul.");
  });
});
