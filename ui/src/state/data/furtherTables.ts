// SPDX-License-Identifier: Apache-2.0
import { get, type Json } from "../../api/routes";
import { noRuns, type ResourceDefinition } from "../requests/resourceCache";
import type { OfTimeline } from "./profiles";

type FurtherAnswer = Json<"/api/profiles/further", "get">;
export type FurtherColumn = FurtherAnswer["columns"][number];
export type FurtherQuery = OfTimeline & { table: string };

/** Tables that only the format of a profile has, and the rows of one. The last one stays until the next one is there. */
export const furtherTables: ResourceDefinition<FurtherQuery, FurtherAnswer> = {
  kind: "profile_further",
  read: ({ run, profile, table }, signal) => get("/api/profiles/further", { run, profile, table }, signal),
  runs: noRuns,
  bytes: ({ columns }) => 1000 + 40 * columns.reduce((sum, { texts, numbers }) => sum + (texts ?? numbers ?? []).length, 0),
  keepsValue: (previous, next) => previous.run === next.run && previous.profile === next.profile,
};
