// SPDX-License-Identifier: Apache-2.0
import { fetchDebugFailure, fetchDebugFailures, type DebugFailure, type DebugFailureQuery, type DebugFailures } from "../../api/debugger";
import type { ResourceDefinition } from "../requests/resourceCache";

export type { DebugFailures, DebugTextTable } from "../../api/debugger";

export const debugFailures: ResourceDefinition<{ runs: readonly string[] }, DebugFailures> = {
  kind: "debug_failures",
  read: ({ runs }, signal) => fetchDebugFailures(runs, signal),
  runs: ({ runs }) => runs,
};

export const debugFailure: ResourceDefinition<DebugFailureQuery, DebugFailure> = {
  kind: "debug_failure",
  read: fetchDebugFailure,
  runs: ({ run }) => [run],
};
