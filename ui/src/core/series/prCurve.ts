// SPDX-License-Identifier: Apache-2.0
import type { Flat, Message } from "../messages/message";
import { LINE, type Curve } from "./curve";
import type { Projection } from "./curvePath";

type Columns = Message<"PrCurveColumns">;

/** A precision-recall curve as columns of one length, by ascending threshold; NaN where a number is none. */
export type PrCurve = Readonly<Record<Exclude<keyof Columns, "steps" | "step" | "wall_time" | "curve_start">, ArrayLike<number>>>;

/** All steps of a tag of a run, and the curve at one of them: no step without one, no thresholds where it can't be read. */
export type PrSeries = Flat<Message<"PrSeries">>;

/** The answer with the curve that it left out because it is known. */
export function completedPr(answer: PrSeries, known: PrSeries | undefined): PrSeries {
  const isKnown = known && answer.kept > 0 && answer.kept === answer.returned;
  return isKnown ? { ...known, version: answer.version, cursor: answer.cursor, steps: answer.steps } : answer;
}

/**
 * A point of the curve. Null where a number is none, and where nothing is called positive: precision is 0 / 0 there,
 * which TensorBoard writes as 0 and leaves out of its drawing.
 */
export function prPoint(curve: PrCurve, index: number): { recall: number; precision: number } | null {
  const [recall, precision] = [curve.recall[index] ?? NaN, curve.precision[index] ?? NaN];
  if (!Number.isFinite(recall) || !Number.isFinite(precision)) return null;
  return curve.true_positives[index]! + curve.false_positives[index]! === 0 ? null : { recall, precision };
}

/** Where the curve has points, by ascending threshold. */
export function definedPoints(curve: PrCurve): number[] {
  return Array.from(curve.threshold, (_, index) => index).filter((index) => prPoint(curve, index) !== null);
}

/** The curve of a run as a line of a chart; it is broken where it has no point. */
export function prLine(run: string, { color, dash }: Pick<Curve, "color" | "dash">, curve: PrCurve): Curve {
  const points = Array.from(curve.threshold, (_, index) => prPoint(curve, index));
  const x = Float64Array.from(points, (point) => point?.recall ?? NaN);
  const raw = Float64Array.from(points, (point) => point?.precision ?? NaN);
  return { ...LINE, key: run, label: run, color, dash, x, raw, smoothed: null, isAscending: false };
}

/** The point nearest to a place in pixels, and the square of its distance; null without any. */
export function nearestPoint(
  curve: PrCurve,
  { x, y }: Projection,
  at: { x: number; y: number },
): { index: number; distance: number } | null {
  return definedPoints(curve).reduce<ReturnType<typeof nearestPoint>>((best, index) => {
    const { recall, precision } = prPoint(curve, index)!;
    const distance = (x(recall) - at.x) ** 2 + (y(precision) - at.y) ** 2;
    return best && best.distance <= distance ? best : { index, distance };
  }, null);
}

/** Area under the curve: average precision, the steps of recall weighted by the precision at each. */
export function averagePrecision(curve: PrCurve): number | null {
  const points = definedPoints(curve).map((index) => prPoint(curve, index)!);
  if (points.length === 0) return null;
  let [area, last] = [0, 0];
  for (const { recall, precision } of points.reverse()) {
    area += Math.max(0, recall - last) * precision;
    last = Math.max(last, recall);
  }
  return area;
}

/** Where precision and recall are best balanced: the largest F1 score and its threshold; null without any. */
export function bestBalance(curve: PrCurve): { score: number; threshold: number; precision: number; recall: number } | null {
  return definedPoints(curve).reduce<ReturnType<typeof bestBalance>>((best, index) => {
    const { recall, precision } = prPoint(curve, index)!;
    if (precision + recall === 0) return best;
    const score = (2 * precision * recall) / (precision + recall);
    return best && best.score >= score ? best : { score, threshold: curve.threshold[index]!, precision, recall };
  }, null);
}
