// SPDX-License-Identifier: Apache-2.0
import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { cutMiddle, distinctLength, distinctNames, placeLabels } from "./endLabels";

describe("labels at the ends of lines", () => {
  it("never overlap and never leave the chart, whatever the lines end at", () => {
    fc.assert(
      fc.property(fc.array(fc.double({ min: -500, max: 900, noNaN: true }), { maxLength: 60 }), (ends) => {
        const placed = placeLabels(
          ends.map((end) => ({ text: "", color: "", end })),
          8,
          200,
          13,
        );
        for (const { at } of placed) expect(at >= 8 - 1e-9 && at <= 208 + 1e-9).toBe(true);
        for (let index = 1; index < placed.length; index++)
          expect(placed[index]!.at - placed[index - 1]!.at).toBeGreaterThanOrEqual(13 - 1e-9);
        expect(placed.length).toBe(Math.min(ends.length, 15));
      }),
    );
  });

  it("are at the end of the line where there is room", () => {
    const ends = [100, 20, 60];
    expect(
      placeLabels(
        ends.map((end) => ({ text: "", color: "", end })),
        0,
        200,
        13,
      ).map(({ at }) => at),
    ).toEqual([20, 60, 100]);
  });
});

describe("names of lines", () => {
  it("leave out what all begin with", () => {
    expect(distinctNames(["exp/lenet-lr0.01-a", "exp/lenet-lr0.02-b"])).toEqual(["lr0.01-a", "lr0.02-b"]);
    expect(distinctNames(["exp/adam", "exp/sgd"])).toEqual(["adam", "sgd"]);
    expect(distinctNames(["a/run_1", "a/run_2"])).toEqual(["run_1", "run_2"]);
    expect(distinctNames(["a/run", "a/run_2"])).toEqual(["run", "run_2"]);
    expect(distinctNames(["deep/path/only"])).toEqual(["only"]);
    expect(distinctNames([])).toEqual([]);
  });

  it("leaves out what the names of one directory share, beside names of others", () => {
    expect(distinctNames(["exp/net-lr0.1-2026", "exp/net-lr0.2-2026", "other/run"])).toEqual(["lr0.1", "lr0.2", "other/run"]);
    expect(distinctNames(["a/net-x-1", "a/net-y-1", "b/net-x-1", "b/net-y-1"])).toEqual(["a/net-x", "a/net-y", "b/net-x", "b/net-y"]);
    expect(distinctNames(["a/x", "a/x", "a/y"])).toEqual(["x", "x", "y"]);
    expect(distinctNames(["run-5", "long-run-5"])).toEqual(["run", "long-run"]);
  });

  it("keeps different names different", () => {
    fc.assert(
      fc.property(fc.array(fc.stringMatching(/^[ab1/_-]{1,8}$/), { maxLength: 8 }), (names) => {
        const short = distinctNames(names);
        expect(new Set(short).size).toBe(new Set(names).size);
        expect(names.every((name, index) => name.includes(short[index]!))).toBe(true);
      }),
    );
  });

  it("says how short names can be cut and still differ", () => {
    const names = ["lr0.001-seed0", "lr0.002-seed0", "lr0.010-seed0"];
    const length = distinctLength(names, 7);
    expect(new Set(names.map((name) => cutMiddle(name, length, (text) => text.length))).size).toBe(3);
    expect(distinctLength(["adam", "sgd"], 7)).toBe(7);
    expect(distinctLength([], 7)).toBe(7);
  });

  it("are cut in the middle", () => {
    const width = (text: string): number => text.length;
    expect(cutMiddle("abcdefghij", 10, width)).toBe("abcdefghij");
    expect(cutMiddle("lenet-adam-seed12", 9, width)).toBe("le…seed12");
  });
});
