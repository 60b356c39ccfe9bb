// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from "vitest";

import { formatAgo, formatDuration, formatDurationTicks, formatWallTicks, formatWallTime } from "./time";

const local = (...parts: [number, number, number, number, number, number]): number => new Date(...parts).getTime() / 1000;

describe("durations", () => {
  it.each([
    [0.25, "0.25 s"],
    [42, "42 s"],
    [185, "3:05"],
    [3723, "1:02:03"],
    [2 * 86400 + 3 * 3600 + 240, "2d 3:04"],
    [-61, "\u22121:01"],
    [59.7, "1:00"],
  ])("writes %s s as %s", (seconds, want) => {
    expect(formatDuration(seconds)).toBe(want);
  });

  it("labels ticks in one unit", () => {
    expect(formatDurationTicks([0, 1800, 3600])).toEqual(["0", "30\u2009min", "60\u2009min"]);
    expect(formatDurationTicks([0, 0.5])).toEqual(["0", "0.5\u2009s"]);
  });
});

describe("wall time", () => {
  it("is local and complete", () => {
    expect(formatWallTime(local(2026, 10, 21, 3, 4, 5))).toBe("2026-11-21 03:04:05");
    expect(formatWallTime(NaN)).toBe("–");
  });

  it("labels ticks as exactly as their distance asks for, with the date at midnight", () => {
    const evening = local(2026, 10, 21, 23, 30, 0);
    expect(formatWallTicks([evening, evening + 1800, evening + 3600])).toEqual(["23:30", "11-22", "00:30"]);
    expect(formatWallTicks([evening, evening + 10])).toEqual(["23:30:00", "23:30:10"]);
    expect(formatWallTicks([evening, evening + 0.5])).toEqual(["23:30:00.000", "23:30:00.500"]);
    expect(formatWallTicks([evening + 26.9996, evening + 27.1])).toEqual(["23:30:27.000", "23:30:27.100"]);
  });
});

describe("formatAgo", () => {
  it("speaks the language of the page", () => {
    expect(formatAgo(1000, 1002, "en")).toBe("now");
    expect(formatAgo(1000, 1180, "en")).toBe("3 min. ago");
    expect(formatAgo(1000, 1180, "zh")).toBe("3分钟前");
  });
});
