// SPDX-License-Identifier: Apache-2.0
import {
  fetchModules,
  fetchModulesFile,
  fetchRow,
  fetchRows,
  fetchRowsFile,
  type RowAnswer,
  type RowQuery,
  type RowsAnswer,
  type RowsFileQuery,
  type RowsQuery,
} from "../../api/profileRows";
import type { ModuleColumns } from "../../core/profiles/moduleTree";
import type { OfTimeline } from "../../api/profiles";
import type { ProfileKey } from "../../core/view/profileView";
import { noRuns, type ResourceDefinition } from "../requests/resourceCache";

export type { RowAnswer, RowQuery, RowsQuery };
/** A page of rows that begins with row `first` of those that match. */
export type ProfileRows = RowsAnswer & { first: number };
export type ProfileRow = RowsAnswer["rows"][number];

/** Operators or kernels as a table shows them. The last page stays until the next one is there. */
export const profileRows: ResourceDefinition<OfTimeline & RowsQuery, ProfileRows> = {
  kind: "profile_rows",
  read: async (query, signal) => ({ ...(await fetchRows(withoutVersion(query), signal)), first: query.first ?? 0 }),
  runs: noRuns,
  bytes: ({ rows, top }) => 1500 * (rows.length + top.length),
  keepsValue: (previous, next) => previous.run === next.run && previous.profile === next.profile && previous.part === next.part,
};

export const profileRow: ResourceDefinition<OfTimeline & RowQuery, RowAnswer> = {
  kind: "profile_row",
  read: (query, signal) => fetchRow(withoutVersion(query), signal),
  runs: noRuns,
};

export const profileModules: ResourceDefinition<OfTimeline, ModuleColumns> = {
  kind: "profile_modules",
  read: ({ run, profile }, signal) => fetchModules(run, profile, signal),
  runs: noRuns,
  keepsValue: (previous, next) => previous.run === next.run && previous.profile === next.profile,
};

/** The version separates answers in the cache; the server answers with the newest. */
function withoutVersion<Query extends OfTimeline>({ version, ...query }: Query): Omit<Query, "version"> {
  void version;
  return query;
}

/** All rows as a file. Raises ApiError. */
export function readRowsFile(query: RowsFileQuery): Promise<Blob> {
  return fetchRowsFile(query);
}

export function readModulesFile({ run, profile }: ProfileKey, format: "csv" | "xlsx"): Promise<Blob> {
  return fetchModulesFile({ run, profile, format });
}
