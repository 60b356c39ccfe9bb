// SPDX-License-Identifier: Apache-2.0
import { request } from "./client";
import { json, type Json } from "./routes";

export type Statistics = Json<"/api/statistics", "post">;

/** First, last, smallest, largest and mean value of these tags in these runs, over all points. */
export function fetchStatistics(runs: readonly string[], tags: readonly string[], signal: AbortSignal): Promise<Statistics> {
  return json(request("/api/statistics", { body: { runs, tags }, signal }));
}
