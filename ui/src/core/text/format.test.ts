// SPDX-License-Identifier: Apache-2.0
import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { formatPoint, formatBytes, formatCount, formatLogTick, formatSetting, formatTicks, formatValue, groupDigits } from "./format";

describe("formatValue", () => {
  it.each([
    [0, "0"],
    [0.25, "0.2500"],
    [0.0012345, "0.001234"],
    [0.00012, "1.2e−4"],
    [-3.14159, "−3.142"],
    [12345, "12\u2009345"],
    [123456789.5, "1.235e8"],
    [1e-300, "1e−300"],
    [NaN, "NaN"],
    [Infinity, "+Inf"],
    [-Infinity, "−Inf"],
    [null, "–"],
  ])("writes %s as %s", (value, want) => {
    expect(formatValue(value)).toBe(want);
  });

  it("loses at most the digits that it leaves out", () => {
    fc.assert(
      fc.property(fc.float({ noNaN: true, noDefaultInfinity: true }), (value) => {
        const back = Number(formatValue(value, 6).replaceAll("\u2212", "-").replaceAll("\u2009", ""));
        expect(Math.abs(back - value)).toBeLessThanOrEqual(Math.abs(value) * 1e-5 + 1e-300);
      }),
    );
  });
});

describe("formatSetting", () => {
  it.each([
    [0.1, "0.1"],
    [1e-4, "0.0001"],
    [1e-5, "1e−5"],
    [0.00005711123, "5.711e−5"],
    [0.00075734123, "7.573e−4"],
    [-0.00015, "−0.00015"],
    [2 ** -15, "3.052e−5"],
    [0, "0"],
    [-0, "0"],
    [-0.25, "−0.25"],
    [1234567, "1234567"],
    [-25557032, "−25557032"],
    [123456.78, "123457"],
    [1.5e300, "1.5e300"],
    [-2e-8, "−2e−8"],
    [16, "16"],
    [0.769531249, "0.76953"],
    [1e22, "1e22"],
    [NaN, "NaN"],
  ])("writes %s as %s", (value, want) => {
    expect(formatSetting(value)).toBe(want);
  });
});

describe("formatTicks", () => {
  it.each([
    [
      [0, 0.5, 1],
      ["0", "0.5", "1.0"],
    ],
    [
      [0, 5000, 10000],
      ["0", "5k", "10k"],
    ],
    [
      [1000, 1500, 2000],
      ["1000", "1500", "2000"],
    ],
    [
      [0, 2.5e6, 5e6],
      ["0", "2.5M", "5.0M"],
    ],
    [
      [0, 2e-4, 4e-4],
      ["0", "2e−4", "4e−4"],
    ],
    [
      [0, 5e18, 1e19, 1.5e19, 2e19],
      ["0", "5e18", "1e19", "1.5e19", "2e19"],
    ],
    [
      [2.5e-4, 5e-4, 7.5e-4],
      ["2.5e−4", "5e−4", "7.5e−4"],
    ],
    [
      [-0.2, 0, 0.2],
      ["−0.2", "0", "0.2"],
    ],
  ])("writes %j as %j", (ticks, want) => {
    expect(formatTicks(ticks)).toEqual(want);
  });

  it("never writes two ticks alike", () => {
    fc.assert(
      fc.property(fc.integer({ min: -5, max: 5 }), fc.integer({ min: 0, max: 900 }), (power, first) => {
        const ticks = [0, 1, 2, 3].map((index) => Number(((first + index) * 10 ** power).toPrecision(12)));
        expect(new Set(formatTicks(ticks)).size).toBe(4);
      }),
    );
  });
});

describe("other numbers", () => {
  it("writes powers of ten of a logarithmic axis shortly", () => {
    expect([1e-4, 0.01, 1, 100, 1e6].map(formatLogTick)).toEqual(["1e−4", "0.01", "1", "100", "1e6"]);
  });

  it("writes sizes and counts", () => {
    expect([0, 1023, 1536, 5 * 1024 ** 3].map(formatBytes)).toEqual(["0 B", "1023 B", "1.5 KiB", "5.0 GiB"]);
    expect([9999, 12345, 5460000, 2 ** 63].map(formatCount)).toEqual(["9\u2009999", "12.3k", "5.46M", "9.22e18"]);
    expect(groupDigits(-1234567)).toBe("-1\u2009234\u2009567");
  });
});

describe("formatPoint", () => {
  it("shows whole numbers in all their digits", () => {
    expect([16777217, -9007199254740991, 12, 0.12345, 1e300, null].map(formatPoint)).toEqual([
      "16\u2009777\u2009217",
      "\u22129\u2009007\u2009199\u2009254\u2009740\u2009991",
      "12",
      "0.1235",
      "1e300",
      "–",
    ]);
  });
});
