// SPDX-License-Identifier: Apache-2.0
import {
  fetchDiff,
  fetchFlame,
  fetchNames,
  fetchProfiles,
  fetchRangeStatistics,
  fetchScopes,
  fetchSearch,
  fetchSlice,
  fetchTables,
  fetchTimeline,
  type DiffAnswer,
  type DiffQuery,
  type OfTimeline,
  type ProfileList,
  type RangeQuery,
  type ScopesAnswer,
  type ScopesQuery,
  type SearchAnswer,
  type SearchQuery,
  type SliceAnswer,
  type StatisticsAnswer,
  type TablesAnswer,
  type ProfileTables,
  type TimelineAnswer,
} from "../../api/profiles";
import type { Flame } from "../../core/profiles/flame";
import type { ProfileKey } from "../../core/view/profileView";
import { noRuns, type ResourceDefinition } from "../requests/resourceCache";

export type { ProfileTables };
export type ProfileCard = ProfileTables["summary"]["cards"][number];
export type ProfileAdvice = ProfileCard["advice"][number];
export type ProfileMissing = ProfileTables["summary"]["missing"][number];

export type ProfileDiff = NonNullable<DiffAnswer["diff"]>;
export type ChangeRow = ProfileDiff["operators"][number];
export type CallRow = NonNullable<ProfileDiff["calls"]>[number];

export { exportAddress } from "../../api/profiles";
export type {
  OfTimeline,
  ProfileEntry,
  RangeQuery,
  SearchAnswer,
  SliceAnswer,
  SliceBrief,
  StatisticsAnswer,
  TimelineAnswer,
  TimelineFacts,
} from "../../api/profiles";

/** Between two requests for the progress of reading a profile. */
export const PROGRESS_MS = 400;

/** Whether the contents of a run have a profile among them. */
export function holdsProfiles(contents: readonly { kind: string }[] | undefined): boolean {
  return contents?.some(({ kind }) => kind.endsWith("_profile")) ?? false;
}

/** The profiles of some runs. */
export const profileList: ResourceDefinition<{ runs: readonly string[] }, ProfileList> = {
  kind: "profiles",
  read: ({ runs }, signal) => (runs.length > 0 ? fetchProfiles(runs, signal) : Promise.resolve({ profiles: [], unlisted: [] })),
  runs: ({ runs }) => runs,
};

/** The same, requested again when other profiles appear, not whenever a run grows. */
export const listedProfiles: ResourceDefinition<{ runs: readonly string[]; contents: unknown }, ProfileList> = {
  kind: "listed_profiles",
  read: ({ runs }, signal) => fetchProfiles(runs, signal),
  runs: noRuns,
  bytes: ({ profiles }) => 400 * profiles.length,
};

/** What a timeline consists of, or how far it is read. */
export const timelineSource: ResourceDefinition<ProfileKey, TimelineAnswer> = {
  kind: "timeline",
  pollMs: PROGRESS_MS,
  read: ({ run, profile }, signal) => fetchTimeline(run, profile, signal),
  runs: ({ run }) => [run],
  keepsValue: (previous, next) => previous.run === next.run && previous.profile === next.profile,
};

/** Overview of a profile, or how far it is computed. */
export const profileTables: ResourceDefinition<ProfileKey, TablesAnswer> = {
  kind: "profile_tables",
  pollMs: PROGRESS_MS,
  read: ({ run, profile }, signal) => fetchTables(run, profile, true, signal),
  runs: ({ run }) => [run],
  keepsValue: (previous, next) => previous.run === next.run && previous.profile === next.profile,
};

/** The same where it is computed already. */
export const computedTables: ResourceDefinition<ProfileKey, TablesAnswer> = {
  ...profileTables,
  kind: "computed_profile_tables",
  read: ({ run, profile }, signal) => fetchTables(run, profile, false, signal),
};

/** What changed from one profile to another, or how far they are read. */
export const profileDiff: ResourceDefinition<DiffQuery, DiffAnswer> = {
  kind: "profile_diff",
  pollMs: PROGRESS_MS,
  read: fetchDiff,
  runs: ({ before, after }) => [before.run, after.run],
  bytes: ({ diff }) => 400 * ((diff?.operators.length ?? 0) + (diff?.calls?.length ?? 0) + (diff?.kernels?.length ?? 0)),
};

/** What the newest profile of a run says of the scopes of a graph. */
export const scopeTimes: ResourceDefinition<ScopesQuery, ScopesAnswer> = {
  kind: "scope_times",
  pollMs: PROGRESS_MS,
  read: fetchScopes,
  runs: ({ run }) => [run],
  bytes: ({ scopes }) => 600 * scopes.length,
};

export const sliceSource: ResourceDefinition<OfTimeline & { slice: number }, SliceAnswer> = {
  kind: "slice",
  read: ({ slice, ...of }, signal) => fetchSlice(of, slice, signal),
  runs: noRuns,
  bytes: ({ arguments: some, children }) => 400 * (some.length + children.length) + 2000,
};

export const sliceNames: ResourceDefinition<OfTimeline, string[]> = {
  kind: "slice_names",
  read: fetchNames,
  runs: noRuns,
  bytes: (names) => 80 * names.length,
};

export const sliceSearch: ResourceDefinition<SearchQuery, SearchAnswer> = {
  kind: "slice_search",
  read: fetchSearch,
  runs: noRuns,
};

export const rangeStatistics: ResourceDefinition<RangeQuery, StatisticsAnswer> = {
  kind: "range_statistics",
  read: fetchRangeStatistics,
  runs: noRuns,
};

export const rangeFlame: ResourceDefinition<RangeQuery, Flame> = {
  kind: "range_flame",
  read: fetchFlame,
  runs: noRuns,
};
