// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from "vitest";

import { groupDigits } from "../../../core/text/format";
import { fill } from "../../../i18n/fill";
import { t as english } from "../../../i18n/i18n.svelte";
import { zh } from "../../../i18n/zh";
import { firstBad, growth } from "./firstBadExample";
import { firstBadHead, firstBadNotes, growthText } from "./firstBadWords";

const COUNT = groupDigits(1280);
type Say = Parameters<typeof growthText>[1];
const chinese: Say = (key, values = {}) => fill(zh[key], values);

describe("the first bad number in words", () => {
  it("names step, operator and elements", () => {
    expect(firstBadHead(firstBad(), false, english)).toBe(
      `In the forward pass of step 50, head/aten::log returns NaN and −Inf in 601 of ${COUNT} elements from finite inputs.`,
    );
    expect(firstBadHead(firstBad(), true, chinese)).toBe(
      `在第 50 步（rank 0）的前向计算中，head/aten::log 的输入均为有限值，输出却含有 NaN 和 −Inf（${COUNT} 个元素中的 601 个）。`,
    );
  });

  it("counts at least one element where only extremes were recorded", () => {
    const found = firstBad();
    found.tensor.figures = { nan: 1, negative_inf: null, zero: null, count: 1280 };
    expect(firstBadHead(found, false, english)).toContain(` returns NaN in at least 1 of ${COUNT} elements from finite inputs.`);
    expect(firstBadHead(found, true, chinese)).toContain(`NaN（${COUNT} 个元素中至少 1 个）`);
  });

  it("leaves no gap for any cause, in both languages", () => {
    for (const cause of ["operator", "batch", "buffer", "parameters", "loss", "unrecorded", "other_rank"] as const) {
      for (const kind of ["operator", "gradient", "update"] as const) {
        const found = { ...firstBad(), cause, operator: { kind, name: "fc1.weight", row: 3 } };
        for (const say of [english, chinese]) {
          const text = firstBadHead(found, true, say);
          expect(text).toContain("601");
          expect(text).not.toMatch(/[{}]|undefined/);
        }
      }
    }
  });

  it("speaks of finite inputs only where all are, and of the step since which a buffer is bad", () => {
    expect(firstBadHead({ ...firstBad(), has_finite_inputs: false }, false, english)).not.toContain("from finite inputs");
    const computed = { ...firstBad(), operator: { kind: "gradient" as const, name: "fc1.weight", row: 3 } };
    expect(firstBadHead({ ...computed, has_finite_inputs: false }, false, english)).not.toContain("finite");
    const buffer = { ...firstBad(), cause: "buffer" as const };
    expect(firstBadHead(buffer, false, english)).not.toContain("since");
    expect(firstBadHead({ ...buffer, since: 7 }, false, english)).toContain("since step 7, made by no recorded operator");
    const made = { ...buffer, since: 7, made_by: "aten::fill_ at net.py:3" };
    expect(firstBadHead(made, false, english)).toContain("since step 7, made there by aten::fill_ at net.py:3");
    expect(firstBadHead(made, false, chinese)).toContain("自第 7 步起");
  });

  it("names a parameter that was bad before its step, or before the optimizer changed it", () => {
    const found = { ...firstBad(), cause: "parameters" as const };
    expect(firstBadHead(found, false, english)).toMatch(
      /^The parameter .* was already bad before step 50: .*, made by no recorded operator;/,
    );
    expect(firstBadHead({ ...found, since: 7 }, false, english)).toContain("since step 7, made by no recorded operator");
    expect(firstBadHead({ ...found, since: 7, made_by: "aten::fill_" }, false, chinese)).toContain("由该步的 aten::fill_ 产生");
    const changed = { ...found, operator: { kind: "update" as const, name: "fc1.weight", row: 3 } };
    expect(firstBadHead(changed, false, english)).toContain("already bad before the optimizer of step 50 changed it");
    const made = { ...changed, since: 7, made_by: "aten::fill_" };
    expect(firstBadHead(made, false, english)).toContain("since step 7, made there by aten::fill_.");
    expect(firstBadHead(made, false, english)).not.toContain("no recorded operator");
  });

  it("says what was not recorded", () => {
    const update = { ...firstBad(), operator: { kind: "update" as const, name: "fc1.weight", row: 3 } };
    expect(firstBadNotes(update, english)).toEqual([expect.stringContaining("a state of the optimizer")]);
    expect(firstBadNotes(firstBad(), english)).toEqual([]);
    expect(firstBadNotes({ ...firstBad(), is_module: true, is_first_step: true }, english)).toHaveLength(2);
    expect(firstBadNotes({ ...firstBad(), is_module: true, cause: "batch" }, english)).toEqual([]);
  });

  it("describes growth up to the limit of the dtype", () => {
    expect(growthText(growth(), english)).toBe(
      `Max |x| doubled each step since step 41, from 2 to 512. float16 ends at ${groupDigits(65504)}.`,
    );
    expect(growthText({ ...growth(), factor: 3.5, limit: null }, english)).toBe(
      "Max |x| grew by 3.50 times each step since step 41, from 2 to 512.",
    );
  });
});
