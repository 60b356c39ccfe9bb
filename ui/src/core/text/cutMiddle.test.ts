// SPDX-License-Identifier: Apache-2.0
import fc from "fast-check";
import { expect, it } from "vitest";

import { cutMiddle, distinctLength, letterCount, ONLY_CUT } from "./cutMiddle";

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

it("keeps as many letters as have room, in any measure", () => {
  const pixels = (text: string): number => [...text].reduce((sum, letter) => sum + (letter === "i" ? 3 : letter === "…" ? 8 : 7), 0);
  const wide = fc.string({ unit: fc.constantFrom("i", "m", "字"), minLength: 3, maxLength: 60 });
  fc.assert(
    fc.property(wide, fc.integer({ min: 0, max: 300 }), (text, width) => {
      const cut = cutMiddle(text, width, pixels);
      if (pixels(text) <= width) {
        expect(cut).toBe(text);
        return;
      }
      if (cut !== ONLY_CUT) expect(pixels(cut)).toBeLessThanOrEqual(width);
      const letters = [...text];
      const kept = cut === ONLY_CUT ? 2 : [...cut].length; // one more than is kept, without the sign
      const head = Math.floor(kept / 3);
      const longer = `${letters.slice(0, head).join("")}…${letters.slice(letters.length - (kept - head)).join("")}`;
      if (kept < letters.length) expect(pixels(longer)).toBeGreaterThan(width);
    }),
  );
});

it("says how short names can be cut and still differ", () => {
  const names = ["lr0.001-seed0", "lr0.002-seed0", "lr0.010-seed0"];
  expect(new Set(names.map((name) => cutMiddle(name, distinctLength(names, 7)))).size).toBe(3);
  expect(distinctLength(["adam", "sgd"], 7)).toBe(7);
  expect(distinctLength([], 7)).toBe(7);
});
