// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from "vitest";

import { formatNs, formatNsWithin, timeTicks } from "./timeText";

describe("times", () => {
  it("are written in the unit that fits", () => {
    const texts = [0, 7, 999, 1234, 20_960, 1_234_567, 999_999, 480_000_000, 19_180_000_000, 123_456_000_000_000, -1500].map(formatNs);
    expect(texts.map((text) => text.replace("\u2009", " "))).toEqual([
      ...["0 s", "7 ns", "999 ns", "1.234 µs", "20.96 µs", "1.235 ms", "1.000 ms", "480.0 ms", "19.18 s", "123456 s", "\u22121.500 µs"],
    ]);
  });

  it("have the digits that their uncertainty allows", () => {
    const texts = [
      formatNsWithin(3_201_958_250, 15_490),
      formatNsWithin(-63_706, 2_161_540),
      formatNsWithin(963_012, 14_000),
      formatNsWithin(5_000_000_001, 0),
      formatNsWithin(0, 10),
    ];
    expect(texts.map((text) => text.replace("\u2009", " "))).toEqual(["+3.201958 s", "\u221264 µs", "+963 µs", "+5.000000001 s", "0 ns"]);
  });

  it("have ticks in one unit, whatever the range", () => {
    const labels = (begin: number, end: number): string[] => timeTicks({ begin, end }, 4).map(({ label }) => label.replace("\u2009", " "));
    expect(labels(0, 4e9)).toEqual(["0", "1 s", "2 s", "3 s", "4 s"]);
    expect(labels(1_000_000, 1_000_040)).toEqual(["1000.00 µs", "1000.01 µs", "1000.02 µs", "1000.03 µs", "1000.04 µs"]);
    expect(labels(-5, 3)).toHaveLength(4);
  });
});
