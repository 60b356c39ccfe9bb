// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from "vitest";

import {
  averagePrecision,
  bestBalance,
  completedPr,
  definedPoints,
  nearestPoint,
  prLine,
  prPoint,
  type PrCurve,
  type PrSeries,
} from "./prCurve";

const none = [NaN, NaN, NaN];
const curve: PrCurve = {
  threshold: [0, 0.5, 1],
  precision: [0.5, 0.75, 1],
  recall: [1, 0.5, 0.25],
  true_positives: [4, 2, 1],
  false_positives: [4, 1, 0],
  true_negatives: none,
  false_negatives: none,
};
/** At its last threshold nothing is called positive. */
const tailed: PrCurve = { ...curve, precision: [0.5, 0.75, 0], recall: [1, 0.5, 0], true_positives: [4, 2, 0] };
const scale = { x: (recall: number) => recall * 100, y: (precision: number) => 100 - precision * 100 };

const RED = { color: "red", dash: [] };

describe("a precision-recall curve", () => {
  it("is a line that is broken where it has no point", () => {
    expect(prLine("a", RED, curve)).toMatchObject({ key: "a", x: Float64Array.of(1, 0.5, 0.25), raw: Float64Array.of(0.5, 0.75, 1) });
    expect(prLine("a", RED, { ...curve, recall: [1, NaN, 0.25] }).raw).toEqual(Float64Array.of(0.5, NaN, 1));
  });

  it("knows the point under the pointer", () => {
    expect(nearestPoint(curve, scale, { x: 52, y: 20 })).toEqual({ index: 1, distance: 29 });
    expect(nearestPoint({ ...curve, recall: none }, scale, { x: 0, y: 0 })).toBeNull();
  });

  it("has no point where nothing is called positive", () => {
    expect(prLine("a", RED, tailed).raw).toEqual(Float64Array.of(0.5, 0.75, NaN));
    expect(prPoint(tailed, 2)).toBeNull();
    expect(definedPoints(tailed)).toEqual([0, 1]);
    expect(averagePrecision(tailed)).toBeCloseTo(0.5 * 0.75 + 0.5 * 0.5);
  });

  it("is taken from what is known when it was not sent", () => {
    const columns = { step: Float64Array.of(3), wall_time: Float64Array.of(9), curve_start: Float64Array.of(0, 3) };
    const facts = { run: "a", tag: "pr", problem: null, error: null, version: 1, cursor: "a", returned: 1, kept: 0 };
    const known = { ...facts, ...columns, ...curve, steps: Float64Array.of(3) } as PrSeries;
    const answer = { ...known, steps: Float64Array.of(3, 4), step: new Float64Array(), threshold: new Float64Array(), kept: 1 };
    expect(completedPr(answer, known)).toEqual({ ...known, steps: answer.steps });
    expect(completedPr({ ...answer, kept: 0 }, known).threshold).toHaveLength(0);
  });

  it("has the average precision as its area", () => {
    expect(averagePrecision(curve)).toBeCloseTo(0.25 * 1 + 0.25 * 0.75 + 0.5 * 0.5);
    expect(averagePrecision({ ...curve, precision: none })).toBeNull();
  });

  it("says where precision and recall are best balanced", () => {
    expect(bestBalance(curve)).toEqual({ score: 2 / 3, threshold: curve.threshold[0], precision: 0.5, recall: 1 });
    expect(bestBalance({ ...curve, recall: none })).toBeNull();
  });
});
