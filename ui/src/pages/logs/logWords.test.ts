// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from "vitest";

import { formatWallTicks } from "../../core/text/time";
import { logTime } from "./logWords";

describe("logTime", () => {
  it("has the same milliseconds as the axis above the messages", () => {
    const time = new Date(2026, 10, 21, 23, 30, 26).getTime() / 1000 + 0.9956;
    expect(logTime(time, false)).toBe("23:30:26.996");
    expect(formatWallTicks([time, time + 0.001])[0]).toBe("23:30:26.996");
  });
});
