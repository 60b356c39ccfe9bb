// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from "vitest";

import { nearestLine } from "./nearestLine";

const FROM = [0, 100, 50];
const TO = [100, 0, 52];
const ALL = [1, 1, 1];

describe("the nearest line", () => {
  it("is measured across the line", () => {
    expect(nearestLine(FROM, TO, { part: 0.1, y: 10, width: 100, reach: 6 }, ALL)).toBe(0);
    expect(nearestLine(FROM, TO, { part: 0.1, y: 17, width: 100, reach: 6 }, ALL)).toBe(0);
    expect(nearestLine(FROM, TO, { part: 0.1, y: 20, width: 100, reach: 6 }, ALL)).toBeNull();
  });

  it("passes", () => {
    expect(nearestLine(FROM, TO, { part: 0, y: 1, width: 100, reach: 6 }, [0, 1, 1])).toBeNull();
  });

  it("is at an axis, too", () => {
    expect(nearestLine(FROM, TO, { part: 1, y: 51, width: 100, reach: 6 }, ALL)).toBe(2);
  });
});
