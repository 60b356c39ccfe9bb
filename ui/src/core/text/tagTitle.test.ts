// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from "vitest";

import { tagTitle } from "./tagTitle";

describe("a tag as a title", () => {
  it.each([
    ["loss", "", "loss"],
    ["train/loss", "train/", "loss"],
    ["/lead", "/", "lead"],
    ["trail/", "", "trail/"],
    ["a/b//", "a/", "b//"],
    ["/", "", "/"],
    ["", "", ""],
  ])("keeps every sign of %s", (tag, before, name) => {
    expect(tagTitle(tag)).toEqual({ before, name });
  });
});
