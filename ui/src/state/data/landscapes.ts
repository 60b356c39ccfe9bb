// SPDX-License-Identifier: Apache-2.0
import { fetchLandscape, type LandscapeId, type LandscapeList } from "../../api/landscapes";
import { post } from "../../api/routes";
import type { Landscape } from "../../core/landscapes/landscape";
import { noRuns, type ResourceDefinition } from "../requests/resourceCache";

export type { LandscapeEntry, LandscapeId, LandscapeList, LandscapeRun } from "../../api/landscapes";

/** The newest landscapes of some runs, and what is known of these runs. */
export const landscapeList: ResourceDefinition<{ runs: readonly string[] }, LandscapeList> = {
  kind: "landscapes",
  read: ({ runs }, signal) => (runs.length > 0 ? post("/api/landscapes", { runs }, signal) : Promise.resolve({ runs: [], landscapes: [] })),
  runs: ({ runs }) => runs,
};

/** A whole landscape. A newer one of the same tag takes its place when it has arrived. */
export const landscapeSource: ResourceDefinition<LandscapeId, Landscape> = {
  kind: "landscape",
  read: fetchLandscape,
  runs: noRuns,
  bytes: ({ losses }) => 9 * losses.length,
  keepsValue: (previous, next) => previous.run === next.run && previous.tag === next.tag,
};
