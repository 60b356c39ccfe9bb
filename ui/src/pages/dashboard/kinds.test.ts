// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from "vitest";

import { cardFor, KINDS } from "./kinds";

describe("the profiler of a framework", () => {
  const profile = KINDS.find(({ kind }) => kind === "profile")!;

  it("is the only one that a run of that framework is shown", () => {
    expect(cardFor(profile, "pytorch").code).toContain("torch.profiler");
    expect(cardFor(profile, "pytorch").code).not.toContain("mindspore");
    expect(cardFor(profile, "mindspore").code).toContain("mindspore.Profiler");
    expect(cardFor(profile, "mindspore").code).not.toContain("torch");
  });

  it("is each of them where nobody knows the framework, and no other card changes", () => {
    expect(cardFor(profile, null)).toBe(profile);
    for (const card of KINDS) if (card !== profile) expect(cardFor(card, "pytorch")).toBe(card);
  });
});
