// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from "vitest";

import { en } from "./en";
import { fill, type Values } from "./fill";
import { zh } from "./zh";
import { saidBy, type Reason } from "../core/text/reason";

const BY_LANGUAGE: Record<"en" | "zh", Record<string, string>> = { en, zh };

const say = (language: "en" | "zh") => (key: string, values: Values) => {
  const words = BY_LANGUAGE[language][key];
  return words === undefined ? null : fill(words, values);
};

describe("a reason of the server", () => {
  const gone: Reason = { code: "tag_not_found", values: { kind: "scalar", tag: "{run}", run: "a/b" }, message: "English" };

  it("is written in the words of the language, with its values", () => {
    expect(saidBy(gone, say("zh"))).toBe("训练“a/b”中没有标签“{run}”。");
    expect(saidBy(gone, say("en"))).toBe("Run “a/b” has no tag “{run}”.");
  });

  it("names what the system refused", () => {
    const full: Reason = { code: "annotations_read_only", values: { path: "/w", reason: "No space left", errno: "ENOSPC" }, message: "" };
    expect(saidBy(full, say("zh"))).toContain("磁盘已满");
    expect(saidBy({ ...full, values: { ...full.values, errno: "EODD" } }, say("zh"))).toContain("No space left");
  });

  it("stays English where it is not known", () => {
    expect(saidBy({ ...gone, code: "of_a_later_server" }, say("zh"))).toBe("English");
  });
});
