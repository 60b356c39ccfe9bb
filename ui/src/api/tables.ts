// SPDX-License-Identifier: Apache-2.0
import { request } from "./client";
import { json, type Json } from "./routes";

export type Hparams = Json<"/api/hparams", "post">;
export type Statistics = Json<"/api/statistics", "post">;
export type SeriesStatistics = Statistics["series"][number];

/** Parameters, metrics and lineage of runs, those columns that differ first. */
export function fetchHparams(runs: readonly string[], signal: AbortSignal): Promise<Hparams> {
  return json(request("/api/hparams", { body: { runs }, signal }));
}

/** The same without metrics, for many runs: what one can group them by. */
export function fetchFields(runs: readonly string[], signal: AbortSignal): Promise<Hparams> {
  return json(request("/api/hparams", { body: { runs, roles: ["parameter", "custom"] }, signal }));
}

/** First, last, smallest, largest and mean value of these tags in these runs, over all points. */
export function fetchStatistics(runs: readonly string[], tags: readonly string[], signal: AbortSignal): Promise<Statistics> {
  return json(request("/api/statistics", { body: { runs, tags }, signal }));
}
