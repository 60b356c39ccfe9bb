// SPDX-License-Identifier: Apache-2.0
import { request } from "../../api/client";
import { blob, json, post, type Json } from "../../api/routes";
import type { Schemas } from "../../core/messages/message";
import type { ModuleColumns } from "../../core/profiles/moduleTree";
import type { ProfileKey } from "../../core/view/profileView";
import { noRuns, type ResourceDefinition } from "../requests/resourceCache";
import type { OfTimeline } from "./profiles";

export type RowsQuery = Schemas["RowsQuery"];
export type RowQuery = Schemas["RowQuery"];
type RowsAnswer = Json<"/api/profiles/rows", "post">;
export type RowAnswer = Json<"/api/profiles/row", "post">;
/** A page of rows that begins with row `first` of those that match. */
export type ProfileRows = RowsAnswer & { first: number };
export type ProfileRow = RowsAnswer["rows"][number];

/** Operators or kernels as a table shows them. The last page stays until the next one is there. */
export const profileRows: ResourceDefinition<OfTimeline & RowsQuery, ProfileRows> = {
  kind: "profile_rows",
  read: async (query, signal) => ({ ...(await post("/api/profiles/rows", withoutVersion(query), signal)), first: query.first ?? 0 }),
  runs: noRuns,
  bytes: ({ rows, top }) => 1500 * (rows.length + top.length),
  keepsValue: (previous, next) => previous.run === next.run && previous.profile === next.profile && previous.part === next.part,
};

export const profileRow: ResourceDefinition<OfTimeline & RowQuery, RowAnswer> = {
  kind: "profile_row",
  read: (query, signal) => post("/api/profiles/row", withoutVersion(query), signal),
  runs: noRuns,
};

export const profileModules: ResourceDefinition<OfTimeline, ModuleColumns> = {
  kind: "profile_modules",
  read: ({ run, profile }, signal) => json(request("/api/profiles/modules", { query: { run, profile }, signal })),
  runs: noRuns,
  keepsValue: (previous, next) => previous.run === next.run && previous.profile === next.profile,
};

/** The version separates answers in the cache; the server answers with the newest. */
function withoutVersion<Query extends OfTimeline>({ version, ...query }: Query): Omit<Query, "version"> {
  void version;
  return query;
}

/** All rows as a file. Raises ApiError. */
export function readRowsFile(query: Schemas["RowsFileQuery"]): Promise<Blob> {
  return blob(request("/api/profiles/rows/file", { body: query }));
}

export function readModulesFile({ run, profile }: ProfileKey, format: "csv" | "xlsx"): Promise<Blob> {
  return blob(request("/api/profiles/modules/file", { body: { run, profile, format } }));
}
