// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from "vitest";

import { fileNote, textPieces } from "./fileWords";

describe("the pieces of a text", () => {
  it("are the lines of a difference by what they do", () => {
    const text = "diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1 +1,2 @@\n same\n-old\n+new\n+newer\n";
    expect(textPieces(text, true)).toEqual([
      { text: "diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1 +1,2 @@\n", look: "head" },
      { text: " same\n", look: null },
      { text: "-old\n", look: "removed" },
      { text: "+new\n+newer\n", look: "added" },
    ]);
  });

  it("mark what is masked, and only the word", () => {
    expect(textPieces("a = 1\nkey = 'MASKED'\nUNMASKED\n", false)).toEqual([
      { text: "a = 1\n", look: null },
      { text: "key = '", look: null },
      { text: "MASKED", look: "masked" },
      { text: "'\nUNMASKED\n", look: null },
    ]);
  });

  it("hold the whole text, whatever it is", () => {
    for (const text of ["", "\n", "+", "MASKEDMASKED", "a\r\nb", "\u2028+x\n", "MASKED MASKED\n-MASKED"])
      for (const isDiff of [true, false])
        expect(
          textPieces(text, isDiff)
            .map((piece) => piece.text)
            .join(""),
        ).toBe(text);
    expect(textPieces("x\n".repeat(30_000), true)).toHaveLength(1);
  });
});

describe("the note of a file", () => {
  it("says why a file is not there, what is cut and what is masked", () => {
    expect(fileNote({ left_out: "too_large", is_cut: false, masked: 0 })).toBe("not kept: too large");
    expect(fileNote({ left_out: null, is_cut: true, masked: 1 })).toBe("first part only · 1 secret masked");
    expect(fileNote({ left_out: null, is_cut: false, masked: 2 })).toBe("2 secrets masked");
    expect(fileNote({ left_out: null, is_cut: false, masked: 0 })).toBe("");
  });
});
