// SPDX-License-Identifier: Apache-2.0
import type { Message, Schemas } from "../core/messages/message";
import { request } from "./client";
import { message } from "./decode";

export type CollectiveEntry = Schemas["CollectiveEntry"];
export type StragglerEntry = Schemas["StragglerEntry"];
export type ClockEntry = Schemas["ClockEntry"];
export type StageEntry = Schemas["StageEntry"];

/** All ranks of a training; while `progress` is there, only that. */
export type RanksAnswer = Message<"RanksHeader">;

export function fetchRanks(runs: readonly string[], signal: AbortSignal): Promise<RanksAnswer> {
  return message<"RanksHeader">(request("/api/profiles/ranks", { body: { runs }, signal }));
}
