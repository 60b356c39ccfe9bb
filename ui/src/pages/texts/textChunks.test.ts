// SPDX-License-Identifier: Apache-2.0
import fc from "fast-check";
import { expect, test } from "vitest";

import { chunksOf } from "./textChunks";

test("a short text is one passage", () => {
  expect(chunksOf("one\ntwo")).toEqual(["one\ntwo"]);
  expect(chunksOf("")).toEqual([]);
});

test("passages end with lines", () => {
  expect(chunksOf("aa\nbb\ncc\n\ndd", 5)).toEqual(["aa\n", "bb\n", "cc\n\n", "dd"]);
});

test("a line that is too long is cut between letters", () => {
  expect(chunksOf("abcdefg", 3)).toEqual(["abc", "def", "g"]);
  expect(chunksOf("ab\u{1F600}cd", 3)).toEqual(["ab", "\u{1F600}c", "d"]);
});

test("no letter is lost, and no passage is too long", () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom("a", "b", "\n", "\u{1F600}") }), fc.integer({ min: 2, max: 9 }), (text, most) => {
      const passages = chunksOf(text, most);
      expect(passages.join("")).toBe(text);
      expect(passages.every((passage) => passage.length <= most)).toBe(true);
    }),
  );
});
