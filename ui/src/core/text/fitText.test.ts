// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from "vitest";

import { fittingCount } from "./fitText";

const SIZES = { letter: 5, extra: 10, tail: 20 };

describe("texts side by side", () => {
  it("are all shown where there is room, and the tail where there is not", () => {
    expect(fittingCount(["abcd", "efgh"], 60, SIZES)).toBe(2);
    expect(fittingCount(["abcd", "efgh"], 59, SIZES)).toBe(1);
    expect(fittingCount(["abcd", "efgh", "ijkl"], 80, SIZES)).toBe(2);
    expect(fittingCount(["abcd", "efgh", "ijkl"], 79, SIZES)).toBe(1);
    expect(fittingCount(["abcd", "efgh"], 49, SIZES)).toBe(0);
    expect(fittingCount([], 0, SIZES)).toBe(0);
  });
});
