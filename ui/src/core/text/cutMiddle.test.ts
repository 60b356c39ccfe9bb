// SPDX-License-Identifier: Apache-2.0
import fc from "fast-check";
import { expect, it } from "vitest";

import { cutMiddle, distinctLength, letterCount } from "./cutMiddle";

it("cuts a text in its middle", () => {
  expect(cutMiddle("abcdefghij", 10)).toBe("abcdefghij");
  expect(cutMiddle("lenet-adam-seed12", 9)).toBe("le…seed12");
  expect(cutMiddle("/logs/run", 9)).toBe("/logs/run");
  expect(cutMiddle("训练日志很长的名字", 9)).toBe("训…的名字");
  expect(cutMiddle("abc", 0)).toBe("…");
});

it("is as long as is allowed at most, whole where there is room, and no half letter", () => {
  fc.assert(
    fc.property(fc.string({ unit: "grapheme" }), fc.integer({ min: 1, max: 40 }), (text, most) => {
      const cut = cutMiddle(text, most);
      expect(letterCount(cut)).toBeLessThanOrEqual(most);
      if (letterCount(text) <= most) expect(cut).toBe(text);
      expect(cut.isWellFormed()).toBe(true);
    }),
  );
});

it("says how short names can be cut and still differ", () => {
  const names = ["lr0.001-seed0", "lr0.002-seed0", "lr0.010-seed0"];
  expect(new Set(names.map((name) => cutMiddle(name, distinctLength(names, 7)))).size).toBe(3);
  expect(distinctLength(["adam", "sgd"], 7)).toBe(7);
  expect(distinctLength([], 7)).toBe(7);
});
