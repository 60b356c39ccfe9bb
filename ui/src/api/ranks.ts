// SPDX-License-Identifier: Apache-2.0
import type { RankLinks, RankSteps } from "../core/profiles/rankGrid";
import { request } from "./client";
import { float64, readHeader } from "./columns";
import type { components } from "./schema";

type Schemas = components["schemas"];
type Column = Schemas["Column"];
export type CollectiveEntry = Schemas["CollectiveEntry"];
export type StragglerEntry = Schemas["StragglerEntry"];
export type ClockEntry = Schemas["ClockEntry"];
export type StageEntry = Schemas["StageEntry"];

/** All ranks of a training; while `progress` is there, only that. */
export type RanksAnswer = Omit<Schemas["RanksHeader"], "steps" | "links"> & { steps: RankSteps | null; links: RankLinks | null };

export async function fetchRanks(runs: readonly string[], signal: AbortSignal): Promise<RanksAnswer> {
  return decodeRanks(await (await request("/api/profiles/ranks", { body: { runs }, signal })).arrayBuffer());
}

/** Raises RangeError or SyntaxError for bytes that are no comparison of ranks. */
export function decodeRanks(buffer: ArrayBuffer): RanksAnswer {
  const { header, start } = readHeader<Schemas["RanksHeader"]>(buffer);
  const column = (at: Column): Float64Array => float64(buffer, start, at);
  const { steps, links } = header;
  return {
    ...header,
    steps: steps && {
      rank: column(steps.rank),
      cycle: column(steps.cycle),
      step: column(steps.step),
      profile: column(steps.profile),
      begin: column(steps.begin),
      columns: new Map(steps.columns.map(({ name, values }) => [name, column(values)])),
    },
    links: links && {
      kinds: links.kinds,
      kind: column(links.kind),
      source: column(links.source),
      destination: column(links.destination),
      bytes: column(links.bytes),
      bandwidth: column(links.bandwidth),
    },
  };
}
