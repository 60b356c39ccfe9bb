// SPDX-License-Identifier: Apache-2.0
import { fetchDamages, type DamageList } from "../../api/routes";
import type { ResourceDefinition } from "../requests/resourceCache";

/** What is broken in a run. */
export const damages: ResourceDefinition<string, DamageList> = {
  kind: "damages",
  read: fetchDamages,
  runs: (run) => [run],
};
