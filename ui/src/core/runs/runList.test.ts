// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from "vitest";

import { holdsTheSame, renewed } from "./runList";

const [a, b, c] = ["run_1", "run_2", "run_10"].map((id) => ({ id, step: 1 }));
const known = [a!, b!, c!];

describe("renewed", () => {
  it("orders a whole list by name", () => {
    expect(renewed([], { is_whole: true, gone: [], runs: [c!, a!, b!] })).toEqual(known);
  });

  it("gives the same list when nothing is new", () => {
    expect(renewed(known, { is_whole: false, gone: [], runs: [] })).toBe(known);
  });

  it("replaces what is different and keeps the others as they are", () => {
    const got = renewed(known, { is_whole: false, gone: [], runs: [{ id: "run_2", step: 9 }] });
    expect(got.map(({ step }) => step)).toEqual([1, 9, 1]);
    expect(got[0]).toBe(a);
  });

  it("puts new runs into their place and leaves out those that went", () => {
    const got = renewed(known, { is_whole: false, gone: ["run_1"], runs: [{ id: "run_3", step: 1 }] });
    expect(got.map(({ id }) => id)).toEqual(["run_2", "run_3", "run_10"]);
  });

  it("takes a run that went and came again once", () => {
    expect(renewed(known, { is_whole: false, gone: [], runs: [{ id: "run_1", step: 4 }] })).toHaveLength(3);
  });
});

describe("holdsTheSame", () => {
  const run = { tags: { scalar: 3 }, files: 1, first_wall_time: 10 };

  it.each([
    ["a run that only grew", { ...run }, true],
    ["a new tag", { ...run, tags: { scalar: 4 } }, false],
    ["a new kind", { ...run, tags: { scalar: 3, image: 1 } }, false],
    ["another file", { ...run, files: 2 }, false],
    ["another beginning", { ...run, first_wall_time: 11 }, false],
    ["a run that went", undefined, false],
  ])("%s", (_, other, want) => {
    expect(holdsTheSame(run, other)).toBe(want);
  });
});
