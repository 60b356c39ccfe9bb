// SPDX-License-Identifier: Apache-2.0
import type { Message } from "../core/messages/message";
import type { PrSeries } from "../core/series/prCurve";
import { request } from "./client";
import { message } from "./decode";
import type { KnownSeries } from "./routes";

/** The last step up to a number, the first when all are later; or the newest. */
export type PrStep = number | "newest";

export type PrQuery = KnownSeries & { step: PrStep };

/** One answer for each series; it leaves out a curve that is known by `since`, see `completedPr`. */
export async function fetchPrCurves(series: readonly PrQuery[], signal?: AbortSignal): Promise<PrSeries[]> {
  const response = request("/api/pr_curves", { body: { series }, ...(signal ? { signal } : {}) });
  return (await message<"PrCurvesHeader">(response)).series.map(seriesFrom);
}

function seriesFrom({ columns, error, problem, cursor, kept, returned }: Message<"PrSeries">): PrSeries {
  const column = (name: keyof Message<"PrCurveColumns">): Float64Array => columns?.[name] ?? new Float64Array(0);
  const curve = {
    threshold: column("threshold"),
    precision: column("precision"),
    recall: column("recall"),
    true_positives: column("true_positives"),
    false_positives: column("false_positives"),
    true_negatives: column("true_negatives"),
    false_negatives: column("false_negatives"),
  };
  const step = column("step")[0] ?? null;
  return {
    steps: column("steps"),
    step,
    curve: curve.threshold.length > 0 ? curve : null,
    problem,
    error,
    cursor,
    isKept: kept > 0 && kept === returned,
  };
}
