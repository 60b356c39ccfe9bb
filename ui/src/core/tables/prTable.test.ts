// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from "vitest";

import type { PrCurve } from "../series/prCurve";
import { prCsv, prJson } from "./prTable";

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

describe("the table of precision-recall curves", () => {
  it("is saved the same in both ways", () => {
    const runs = [{ run: "a", step: 3, curve }];
    const [, line] = prCsv(runs).split("\n");
    const [saved] = JSON.parse(prJson(runs)) as [{ run: string; step: number } & PrCurve];
    expect(line).toBe("a,3,0,0.5,1,4,4,,");
    expect(saved).toEqual({ run: "a", step: 3, ...curve, true_negatives: Array(3).fill("NaN"), false_negatives: Array(3).fill("NaN") });
  });
});
