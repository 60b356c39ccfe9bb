// SPDX-License-Identifier: Apache-2.0
import { fetchRanks, type RanksAnswer } from "../../api/ranks";
import type { ResourceDefinition } from "../requests/resourceCache";
import { PROGRESS_MS } from "./profiles";

export type { ClockEntry, CollectiveEntry, RanksAnswer, StageEntry, StragglerEntry } from "../../api/ranks";

/** All ranks of the training of some runs, or how many of their profiles are read. */
export const ranksSource: ResourceDefinition<{ runs: readonly string[] }, RanksAnswer> = {
  kind: "ranks",
  pollMs: PROGRESS_MS,
  read: ({ runs }, signal) => fetchRanks(runs, signal),
  runs: ({ runs }) => runs,
  keepsValue: (previous, next) => previous.runs.join("\n") === next.runs.join("\n"),
  bytes: ({ steps, links }) =>
    8 * ((steps?.rank.length ?? 0) * (5 + Object.keys(steps?.columns ?? {}).length) + 5 * (links?.kind.length ?? 0)) + 20_000,
};
