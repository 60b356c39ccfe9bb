// SPDX-License-Identifier: Apache-2.0
export type PrColumn = readonly (number | null)[];

/** A precision-recall curve as columns of one length, by ascending threshold. */
export interface PrCurve {
  threshold: readonly number[];
  precision: PrColumn;
  recall: PrColumn;
  true_positives: PrColumn;
  false_positives: PrColumn;
  true_negatives: PrColumn;
  false_negatives: PrColumn;
}

export interface Scale {
  x: (recall: number) => number;
  y: (precision: number) => number;
}

/** The curve as an SVG path; it is broken where a number is none. */
export function prPath(curve: PrCurve, { x, y }: Scale): string {
  let isDown = false;
  return curve.threshold
    .map((_, index) => {
      const [recall, precision] = [curve.recall[index], curve.precision[index]];
      if (typeof recall !== "number" || typeof precision !== "number") {
        isDown = false;
        return "";
      }
      const command = `${isDown ? "L" : "M"}${x(recall).toFixed(1)} ${y(precision).toFixed(1)}`;
      isDown = true;
      return command;
    })
    .join("");
}

/** The point nearest to a place in pixels, -1 without any. */
export function nearestPoint(curve: PrCurve, { x, y }: Scale, at: { x: number; y: number }): number {
  let [best, distance] = [-1, Infinity];
  for (let index = 0; index < curve.threshold.length; index++) {
    const [recall, precision] = [curve.recall[index], curve.precision[index]];
    if (typeof recall !== "number" || typeof precision !== "number") continue;
    const apart = (x(recall) - at.x) ** 2 + (y(precision) - at.y) ** 2;
    if (apart < distance) [best, distance] = [index, apart];
  }
  return best;
}

/** Area under the curve: average precision, the steps of recall weighted by the precision at each. */
export function averagePrecision({ precision, recall }: PrCurve): number | null {
  let [area, last, isAny] = [0, 0, false];
  for (let index = recall.length - 1; index >= 0; index--) {
    const [at, height] = [recall[index], precision[index]];
    if (typeof at !== "number" || typeof height !== "number") continue;
    area += Math.max(0, at - last) * height;
    last = Math.max(last, at);
    isAny = true;
  }
  return isAny ? area : null;
}

/** Where precision and recall are best balanced: the largest F1 score and its threshold; null without any. */
export function bestBalance({ threshold, precision, recall }: PrCurve): { score: number; threshold: number; precision: number; recall: number } | null {
  let best: ReturnType<typeof bestBalance> = null;
  threshold.forEach((at, index) => {
    const [height, reach] = [precision[index], recall[index]];
    if (typeof height !== "number" || typeof reach !== "number" || height + reach === 0) return;
    const score = (2 * height * reach) / (height + reach);
    if (!best || score > best.score) best = { score, threshold: at, precision: height, recall: reach };
  });
  return best;
}
