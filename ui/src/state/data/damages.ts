// SPDX-License-Identifier: Apache-2.0
import { get, type Json } from "../../api/routes";
import type { ResourceDefinition } from "../requests/resourceCache";

/** What is broken in a run. */
export const damages: ResourceDefinition<string, Json<"/api/damages", "get">> = {
  kind: "damages",
  read: (run, signal) => get("/api/damages", { run }, signal),
  runs: (run) => [run],
};
