// SPDX-License-Identifier: Apache-2.0
import type { PrSeries } from "../core/series/prCurve";
import { request } from "./client";
import { flattened, message } from "./decode";
import type { KnownSeries } from "./routes";

/** The last step up to a number, the first when all are later; or the newest. */
export type PrStep = number | "newest";

export type PrQuery = KnownSeries & { step: PrStep };

/** One answer for each series; it leaves out a curve that is known by `since`, see `completedPr`. */
export async function fetchPrCurves(series: readonly PrQuery[], signal?: AbortSignal): Promise<PrSeries[]> {
  const response = request("/api/pr_curves", { body: { series }, ...(signal ? { signal } : {}) });
  return (await message<"PrCurvesHeader">(response)).series.map(flattened);
}
