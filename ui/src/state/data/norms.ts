// SPDX-License-Identifier: Apache-2.0
import { request } from "../../api/client";
import { message } from "../../api/decode";
import type { Norms, SourceKind } from "../../core/graphs/model/overlay";
import type { ResourceDefinition } from "../requests/resourceCache";

/** Norms of series of one run at steps. */
interface NormsQuery {
  run: string;
  series: readonly { kind: SourceKind; tag: string }[];
  steps: readonly number[];
  wantsSteps: boolean;
}

const SERIES_BYTES = 40;

/** Norms of series of a run, with the query, so that a reader knows whose they are. */
export const seriesNorms: ResourceDefinition<NormsQuery, { query: NormsQuery; norms: Norms }> = {
  kind: "norms",
  read: async (query, signal) => {
    const { wantsSteps, ...body } = query;
    const { columns } = await message<"NormsHeader">(request("/api/norms", { body: { ...body, wants_steps: wantsSteps }, signal }));
    return { query, norms: { ...columns, steps: query.steps } };
  },
  runs: ({ run }) => [run],
  bytes: ({ query, norms }) => SERIES_BYTES * (query.series.length + norms.norm.length) + 8 * norms.recorded.length,
};
