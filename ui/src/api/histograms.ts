// SPDX-License-Identifier: Apache-2.0
import type { Axis, Range } from "../core/scales/axis";
import type { Histograms } from "../core/series/histograms";
import { request } from "./client";
import { flattened, message } from "./decode";
import type { KnownSeries } from "./routes";

/** Which steps of which series, in how many rows. */
export interface HistogramQuery {
  series: readonly KnownSeries[];
  axis: Axis;
  range: Range | null;
  rows: number;
}

/** One answer for each series; it leaves out rows that are known by `since`, see `completedHistograms`. */
export async function fetchHistograms(query: HistogramQuery, signal?: AbortSignal): Promise<Histograms[]> {
  const { series } = await message<"HistogramsHeader">(request("/api/histograms", { body: query, ...(signal ? { signal } : {}) }));
  return series.map(flattened);
}
