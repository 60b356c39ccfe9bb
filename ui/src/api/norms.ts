// SPDX-License-Identifier: Apache-2.0
import type { Norms, SourceKind } from "../core/graphs/model/overlay";
import { request } from "./client";
import { float64, readHeader } from "./columns";
import type { components } from "./schema";

/** Norms of series of one run at steps. */
export interface NormsQuery {
  run: string;
  series: readonly { kind: SourceKind; tag: string }[];
  steps: readonly number[];
  wantsSteps: boolean;
}

export async function fetchNorms({ wantsSteps, ...query }: NormsQuery, signal: AbortSignal): Promise<Norms> {
  const response = await request("/api/norms", { body: { ...query, wants_steps: wantsSteps }, signal });
  const buffer = await response.arrayBuffer();
  const { header, start } = readHeader<components["schemas"]["NormsHeader"]>(buffer);
  const { columns } = header;
  return {
    steps: query.steps,
    norm: float64(buffer, start, columns.norm),
    largest: float64(buffer, start, columns.largest),
    nan: float64(buffer, start, columns.nan),
    infinite: float64(buffer, start, columns.infinite),
    state: new Uint8Array(buffer, start + columns.state.offset, columns.state.length),
    recorded: float64(buffer, start, columns.recorded),
  };
}
