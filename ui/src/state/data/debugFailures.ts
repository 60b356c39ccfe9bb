// SPDX-License-Identifier: Apache-2.0
import { post, type Json } from "../../api/routes";
import type { Schemas } from "../../core/messages/message";
import type { ResourceDefinition } from "../requests/resourceCache";

/** What recorders wrote when the trainings of runs failed. */
export type DebugFailures = Json<"/api/debugger/failures", "post">;
export type DebugTextTable = Schemas["DebugTextTable"];

export const debugFailures: ResourceDefinition<{ runs: readonly string[] }, DebugFailures> = {
  kind: "debug_failures",
  read: ({ runs }, signal) => post("/api/debugger/failures", { runs }, signal),
  runs: ({ runs }) => runs,
};

export const debugFailure: ResourceDefinition<Schemas["DebugFailureQuery"], Json<"/api/debugger/failure", "post">> = {
  kind: "debug_failure",
  read: (query, signal) => post("/api/debugger/failure", query, signal),
  runs: ({ run }) => [run],
};
