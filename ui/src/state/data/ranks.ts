// SPDX-License-Identifier: Apache-2.0
import { request } from "../../api/client";
import { message } from "../../api/decode";
import type { Message, Schemas } from "../../core/messages/message";
import type { ResourceDefinition } from "../requests/resourceCache";
import { PROGRESS_MS } from "./profiles";

export type CollectiveEntry = Schemas["CollectiveEntry"];
export type StragglerEntry = Schemas["StragglerEntry"];
export type ClockEntry = Schemas["ClockEntry"];
export type StageEntry = Schemas["StageEntry"];
/** While `progress` is there, only that. */
export type RanksAnswer = Message<"RanksHeader">;

/** All ranks of the training of some runs, or how many of their profiles are read. */
export const ranksSource: ResourceDefinition<{ runs: readonly string[] }, RanksAnswer> = {
  kind: "ranks",
  pollMs: PROGRESS_MS,
  read: ({ runs }, signal) => message<"RanksHeader">(request("/api/profiles/ranks", { body: { runs }, signal })),
  runs: ({ runs }) => runs,
  keepsValue: (previous, next) => previous.runs.join("\n") === next.runs.join("\n"),
  bytes: ({ steps, links }) =>
    8 * ((steps?.rank.length ?? 0) * (5 + Object.keys(steps?.columns ?? {}).length) + 5 * (links?.kind.length ?? 0)) + 20_000,
};
