// SPDX-License-Identifier: Apache-2.0
import type { Norms, SourceKind } from "../core/graphs/model/overlay";
import { request } from "./client";
import { message } from "./decode";

/** Norms of series of one run at steps. */
export interface NormsQuery {
  run: string;
  series: readonly { kind: SourceKind; tag: string }[];
  steps: readonly number[];
  wantsSteps: boolean;
}

export async function fetchNorms({ wantsSteps, ...query }: NormsQuery, signal: AbortSignal): Promise<Norms> {
  const { columns } = await message<"NormsHeader">(request("/api/norms", { body: { ...query, wants_steps: wantsSteps }, signal }));
  return { ...columns, steps: query.steps };
}
