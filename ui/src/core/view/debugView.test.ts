// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from "vitest";

import { DEBUG_VIEW, findingsAddress, openedHit } from "./debugView";

const hit = { chosen: { run: "a", source: "." }, text: "dead_relu", isRecommended: true, rank: 1, step: 8, row: 3 };

describe("a hit that is opened", () => {
  it("is the list of its watchpoint by step, and its address leads there again", () => {
    const view = openedHit({ ...DEBUG_VIEW.defaultValue, tab: "statistics", phase: "backward" }, hit);
    expect(view).toMatchObject({
      tab: "findings",
      part: "hits",
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

describe("the findings", () => {
  const read = (address: string) => DEBUG_VIEW.read(new URLSearchParams(address));

  it("are what addresses of the tabs of before lead to", () => {
    expect(read("debug_tab=first_bad")).toMatchObject({ tab: "findings", part: "first_bad" });
    expect(read("debug_tab=watchpoints&debug_step=8&watched=dead_relu")).toMatchObject({ tab: "findings", part: "hits", step: 8 });
    expect(read("debug_tab=failure")).toMatchObject({ tab: "findings", part: "failure" });
  });

  it("are the first screen, unless an address is of the statistics", () => {
    expect(read("")).toMatchObject({ tab: "findings", part: null });
    expect(read("debug_row=3&debug_step=8").tab).toBe("statistics");
    expect(read("debug_show=heat").tab).toBe("statistics");
    expect(read("debug_tab=nothing").tab).toBe("findings");
  });

  it("of a run have an address", () => {
    const query = new URLSearchParams(findingsAddress("a b/c").split("?")[1]);
    expect(query.get("run")).toBe("a b/c");
    expect(DEBUG_VIEW.read(query)).toEqual({ ...DEBUG_VIEW.defaultValue, chosen: { run: "a b/c", source: "." } });
  });
});
