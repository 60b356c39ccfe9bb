// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from "vitest";

import { DEBUG_VIEW, openedHit } from "./debugView";

const hit = { chosen: { run: "a", source: "." }, text: "dead_relu", isRecommended: true, rank: 1, step: 8, row: 3 };

describe("a hit that is opened", () => {
  it("is the list of its watchpoint by step, and its address leads there again", () => {
    const view = openedHit({ ...DEBUG_VIEW.defaultValue, tab: "statistics", phase: "backward" }, hit);
    expect(view).toMatchObject({
      tab: "watchpoints",
      watched: "dead_relu",
      watchpoints: null,
      hitsBy: "step",
      step: 8,
      row: 3,
      phase: null,
    });
    const query = new URLSearchParams();
    DEBUG_VIEW.write(view, query);
    expect(DEBUG_VIEW.read(query)).toEqual(view);
  });

  it("keeps own watchpoints if the one that hit is among them and on", () => {
    const watchpoints = [
      { text: "dead_relu", isOn: true },
      { text: "TL max_gt=1", isOn: true },
    ];
    expect(openedHit({ ...DEBUG_VIEW.defaultValue, watchpoints }, hit).watchpoints).toBe(watchpoints);
    const off = watchpoints.map((each) => ({ ...each, isOn: false }));
    expect(openedHit({ ...DEBUG_VIEW.defaultValue, watchpoints: off }, hit).watchpoints).toBeNull();
    const own = { ...hit, text: "TS max_lt=1", isRecommended: false };
    expect(openedHit({ ...DEBUG_VIEW.defaultValue, watchpoints }, own).watchpoints).toEqual([{ text: "TS max_lt=1", isOn: true }]);
  });
});
