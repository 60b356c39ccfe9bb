// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from "vitest";

import { fill } from "../../../i18n/fill";
import { t as english } from "../../../i18n/i18n.svelte";
import { zh } from "../../../i18n/zh";
import type { DebugCondition, DebugConditions, DebugHit, DebugWatchpoint } from "../../../state/data/debugger";
import { figureOfHit, formOf, hitTexts, settingsText, unevaluatedTexts, watchTitle } from "./watchWords";

type Say = typeof english;
const chinese: Say = (key, values = {}) => fill(zh[key], values);

const RANGE: DebugCondition = {
  ...{ id: "activation_range", abbreviation: "AR", kind: "activation", is_of_first_step: false },
  parameters: [
    parameter("range_start_inclusive", null),
    parameter("range_end_inclusive", null),
    { ...parameter("range_percentage_gt", "range_percentage"), low: 0, high: 100 },
    parameter("max_min_gt", "max_min"),
  ],
};
const OVERFLOW: DebugCondition = { ...RANGE, id: "tensor_overflow", kind: "tensor", parameters: [] };

function parameter(name: string, statistic: string | null): DebugCondition["parameters"][number] {
  return { name, statistic, comparison: ">", default: null, low: null, high: null, is_low_excluded: false };
}

function watchpoint(more: Partial<DebugWatchpoint> = {}): DebugWatchpoint {
  return {
    ...{ text: "dead_relu", condition: "activation_range", recommendation: "dead_relu", patterns: [], for_steps: 3, problem: null },
    ...{ settings: { range_start_inclusive: -1, range_end_inclusive: 0, range_percentage_gt: 99.9 } },
    ...{ tensors: 2, hits: 1, consequences: 0, first_step: 3, unevaluated: [] },
    ...more,
  };
}

const hit = (more: Partial<DebugHit>): DebugHit =>
  ({ parameter: "range_percentage_gt", set_value: 99.9, actual: 100, ...more }) as DebugHit;

describe("a watchpoint in words", () => {
  it("says what it compares, where and for how long", () => {
    expect(watchTitle(watchpoint(), english)).toBe("ReLU is dead");
    expect(settingsText(watchpoint(), RANGE, english)).toBe("Elements in range in % > 99.9 · range −1 to 0 · for 3 consecutive steps");
    const own = watchpoint({ recommendation: null, for_steps: 1, settings: { max_min_gt: 1e-7 }, patterns: ["encoder.*", "fc"] });
    expect(watchTitle(own, english)).toBe("Activation range");
    expect(settingsText(own, RANGE, english)).toBe("Max − min > 1e−7 · encoder.*, fc");
    expect(settingsText(watchpoint({ settings: {}, for_steps: 1 }), OVERFLOW, english)).toBe("NaN or Inf");
    expect(watchTitle(watchpoint({ condition: "", recommendation: null, text: "bogus" }), english)).toBe("bogus");
    expect(watchTitle(watchpoint(), chinese)).toBe("ReLU 失活");
  });

  it("names what a recording lacks, and not what the first step always lacks", () => {
    const entry = { parameter: "", count: 5, first_step: 1 };
    const unevaluated = [
      { ...entry, problems: ["whole_tensor_needed"], missing: ["tensor"] },
      { ...entry, problems: ["no_earlier_value"], missing: [] },
    ];
    expect(unevaluatedTexts(watchpoint({ unevaluated }), english)).toEqual([
      "Not evaluated: 5 tensors, first in step 1. The recording lacks the whole tensor. (statistics leave both possible)",
    ]);
  });

  it("puts the actual value of a hit beside its limit", () => {
    expect(hitTexts(hit({}), RANGE, english)).toEqual({ actual: "100", limit: "Elements in range in % > 99.9" });
    expect(hitTexts(hit({ parameter: "", set_value: null, actual: 1280 }), OVERFLOW, english).limit).toBe("–");
    expect(hitTexts(hit({ actual: null }), RANGE, english).actual).toBe("±Inf");
    expect(figureOfHit(hit({}), RANGE)).toBe("max_abs");
    expect(figureOfHit(hit({ parameter: "" }), OVERFLOW)).toBe("non_finite");
  });

  it("gives a form the recommended values before the defaults", () => {
    const recommended = [{ name: "dead_relu", condition: RANGE.id, settings: { range_percentage_gt: 99.9 }, for_steps: 3, types: [] }];
    const table: DebugConditions = { conditions: [RANGE, OVERFLOW], recommended };
    const form = formOf(table, "dead_relu")!;
    expect([form.usualSteps, form.parameters.map(({ usual }) => usual)]).toEqual([3, [null, null, 99.9, null]]);
    expect(formOf(table, "tensor_overflow")!.parameters).toEqual([]);
    expect(formOf(table, "nothing")).toBeNull();
  });
});
