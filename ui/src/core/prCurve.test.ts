// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from "vitest";

import { averagePrecision, bestBalance, nearestPoint, prPath, type PrCurve } from "./prCurve";
import { prCsv, prJson } from "./prFile";

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

  it("says where precision and recall are best balanced", () => {
    expect(bestBalance(curve)).toEqual({ score: 2 / 3, threshold: curve.threshold[0], precision: 0.5, recall: 1 });
    expect(bestBalance({ ...curve, recall: none })).toBeNull();
  });

  it("is saved the same in both ways", () => {
    const runs = [{ run: "a", step: 3, curve }];
    const [, line] = prCsv(runs).split("\n");
    const [saved] = JSON.parse(prJson(runs)) as [{ run: string; step: number } & PrCurve];
    expect(line).toBe(`a,3,${curve.threshold[0]},0.5,1,,,,`);
    expect(saved).toEqual({ run: "a", step: 3, ...curve });
  });
});
