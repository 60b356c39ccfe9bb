// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from "vitest";

import { averagePrecision, nearestPoint, prPath, type PrCurve } from "./prCurve";

const none = [null, null, null];
const curve: PrCurve = {
  threshold: [0, 0.5, 1],
  precision: [0.5, 0.75, 1],
  recall: [1, 0.5, 0.25],
  true_positives: none,
  false_positives: none,
  true_negatives: none,
  false_negatives: none,
};
const scale = { x: (recall: number) => recall * 100, y: (precision: number) => 100 - precision * 100 };

describe("a precision-recall curve", () => {
  it("is drawn from point to point", () => {
    expect(prPath(curve, scale)).toBe("M100.0 50.0L50.0 25.0L25.0 0.0");
    expect(prPath({ ...curve, recall: [1, null, 0.25] }, scale)).toBe("M100.0 50.0M25.0 0.0");
  });

  it("knows the point under the pointer", () => {
    expect(nearestPoint(curve, scale, { x: 52, y: 20 })).toBe(1);
    expect(nearestPoint({ ...curve, recall: none }, scale, { x: 0, y: 0 })).toBe(-1);
  });

  it("has the average precision as its area", () => {
    expect(averagePrecision(curve)).toBeCloseTo(0.25 * 1 + 0.25 * 0.75 + 0.5 * 0.5);
    expect(averagePrecision({ ...curve, precision: none })).toBeNull();
  });
});
