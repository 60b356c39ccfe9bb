// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from "vitest";

import { cardCode } from "./cardCode";

const card = { testid: "card", code: { mindspore: "mindspore.Profiler()", pytorch: "torch.profiler" } };

describe("the code on a card", () => {
  it("is that of the framework of the run", () => {
    expect(cardCode(card, "pytorch")).toBe("torch.profiler");
    expect(cardCode(card, "mindspore")).toBe("mindspore.Profiler()");
  });

  it("is that of every framework where the framework is unknown", () => {
    expect(cardCode(card, null)).toBe("mindspore.Profiler()\n\ntorch.profiler");
  });

  it("is the same for all frameworks where there is one text", () => {
    expect(cardCode({ testid: "card", code: "record()" }, "pytorch")).toBe("record()");
  });
});
