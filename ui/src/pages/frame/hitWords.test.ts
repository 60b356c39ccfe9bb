// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from "vitest";

import { fill } from "../../i18n/fill";
import { t as english } from "../../i18n/i18n.svelte";
import { zh } from "../../i18n/zh";
import type { HitAlert } from "../../state/live/alerts.svelte";
import { hitTitle, hitValue } from "./hitWords";

type Say = typeof english;
const chinese: Say = (key, values = {}) => fill(zh[key], values);

function alert(hits: Partial<HitAlert["hits"]>, value: number | null = 100): HitAlert {
  const usual = {
    watchpoint: "dead_relu",
    recommendation: "dead_relu",
    parameter: "range_percentage_gt",
    comparison: ">",
    set_value: 99.9,
  };
  return { value, value_text: value === null ? "Infinity" : null, hits: { ...usual, ...hits } } as HitAlert;
}

describe("an alert of a watchpoint in words", () => {
  it("has the name of a recommended watchpoint, and the text of one with other parameters", () => {
    expect([hitTitle(alert({}), english), hitTitle(alert({}), chinese)]).toEqual(["ReLU is dead", "ReLU 失活"]);
    expect(hitTitle(alert({ watchpoint: "dead_relu for 9" }), english)).toBe("dead_relu for 9");
    expect(hitTitle(alert({ watchpoint: "TL max_gt=3", recommendation: null }), english)).toBe("TL max_gt=3");
  });

  it("puts the value beside the limit, and counts NaN and Inf", () => {
    expect(hitValue(alert({}), english)).toBe("100 > 99.9");
    expect(hitValue(alert({ comparison: ">=", set_value: -1e-9 }, null), english)).toBe("Infinity ≥ −1e−9");
    const overflow = { parameter: null, comparison: null, set_value: null };
    expect(hitValue(alert(overflow, 1), english)).toBe("NaN or Inf in 1 element");
    expect(hitValue(alert(overflow, 12), chinese)).toBe("12 个元素为 NaN 或 Inf");
    expect(hitValue(alert({ parameter: "rtol", comparison: null, set_value: 1e-5 }, 1), english)).toBe("");
  });
});
