// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from "vitest";

import { formatCell, oddCell, shortCell } from "./cellText";

describe("a cell of a tensor", () => {
  it("shows every digit unless told otherwise", () => {
    expect(formatCell("-0.10000000149011612", null, false)).toBe("−0.10000000149011612");
    expect(formatCell("7.99996e+06", null, false)).toBe("7999960");
    expect(formatCell("1e-30", null, false)).toBe("1e−30");
    expect(formatCell("4611686018427387905", 2, false)).toBe("4611686018427387905");
  });

  it("is rounded to decimals or written with an exponent", () => {
    expect(formatCell("3.14159", 2, false)).toBe("3.14");
    expect(formatCell("0.00012345", 2, true)).toBe("1.23e−4");
    expect(formatCell("1e+30", 1, false)).toBe("1.0e30");
    expect(formatCell("12", null, true)).toBe("1.2e1");
  });

  it("is short without a zero in the place of a digit", () => {
    expect(shortCell("-9223372036854775808")).toBe("−9.22337e18");
    expect(shortCell("1099511627776")).toBe("1099511627776");
    expect(shortCell("-20.444878")).toBe("−20.4449");
    expect(shortCell("123456789.25")).toBe("1.23457e8");
    expect(shortCell("-1e+300")).toBe("−1e300");
    expect(shortCell(null)).toBe("–");
  });

  it("names what is no finite number, and leaves texts alone", () => {
    expect(["nan", "inf", "-inf"].map((text) => formatCell(text, 2, true))).toEqual(["NaN", "+Inf", "−Inf"]);
    expect(oddCell("-inf")).toBe("negative_infinity");
    expect(formatCell("(1+2j)", 2, false)).toBe("(1+2j)");
    expect(formatCell("True", 2, true)).toBe("True");
  });
});
