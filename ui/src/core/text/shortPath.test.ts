// SPDX-License-Identifier: Apache-2.0
import fc from "fast-check";
import { expect, it } from "vitest";

import { shortPath } from "./shortPath";

it("leaves out the middle of a long path, never its ends", () => {
  expect(shortPath("/logs/run", 9)).toBe("/logs/run");
  expect(shortPath("/logs/a/b/c/run", 11)).toBe("/lo…b/c/run");
});

it("has as many letters as requested, and halves none", () => {
  fc.assert(
    fc.property(fc.string({ unit: "grapheme" }), fc.integer({ min: 3, max: 40 }), (path, most) => {
      const short = shortPath(path, most);
      expect([...short].length).toBe(Math.min([...path].length, most));
      expect(short).toBe(short.toWellFormed());
    }),
  );
});
