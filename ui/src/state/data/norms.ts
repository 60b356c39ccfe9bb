// SPDX-License-Identifier: Apache-2.0
import { fetchNorms, type NormsQuery } from "../../api/norms";
import type { Norms } from "../../core/graphs/model/overlay";
import type { ResourceDefinition } from "../requests/resourceCache";

const SERIES_BYTES = 40;

/** Norms of series of a run, with the query, so that a reader knows whose they are. */
export const seriesNorms: ResourceDefinition<NormsQuery, { query: NormsQuery; norms: Norms }> = {
  kind: "norms",
  read: async (query, signal) => ({ query, norms: await fetchNorms(query, signal) }),
  runs: ({ run }) => [run],
  bytes: ({ query, norms }) => SERIES_BYTES * (query.series.length + norms.norm.length) + 8 * norms.recorded.length,
};
