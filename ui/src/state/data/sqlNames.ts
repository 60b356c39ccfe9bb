// SPDX-License-Identifier: Apache-2.0
import { fetchTags } from "../../api/routes";
import { noRuns, type ResourceDefinition } from "../requests/resourceCache";

/** The names of scalar tags of some runs, for completion. */
export const scalarTags: ResourceDefinition<readonly string[], readonly string[]> = {
  kind: "sql_tags",
  read: async (runs, signal) => (runs.length === 0 ? [] : (await fetchTags(runs, "scalar", signal)).tags.map(({ tag }) => tag)),
  runs: noRuns,
};
