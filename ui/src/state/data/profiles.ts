// SPDX-License-Identifier: Apache-2.0
import {
  fetchFlame,
  fetchNames,
  fetchProfiles,
  fetchRangeStatistics,
  fetchSearch,
  fetchSlice,
  fetchTables,
  fetchTimeline,
  type OfTimeline,
  type ProfileList,
  type RangeQuery,
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
export type ProfileAdvice = ProfileTables["summary"]["advice"][number];
export type ProfileMissing = ProfileTables["summary"]["missing"][number];
export type ProfileTableRows = ProfileTables["operators"][number];

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

/** The profiles of some runs. */
export const profileList: ResourceDefinition<{ runs: readonly string[] }, ProfileList> = {
  kind: "profiles",
  read: ({ runs }, signal) => (runs.length > 0 ? fetchProfiles(runs, signal) : Promise.resolve({ profiles: [], unlisted: [] })),
  runs: ({ runs }) => runs,
};

/** What a timeline consists of, or how far it is read. */
export const timelineSource: ResourceDefinition<ProfileKey, TimelineAnswer> = {
  kind: "timeline",
  read: ({ run, profile }, signal) => fetchTimeline(run, profile, signal),
  runs: ({ run }) => [run],
  keepsValue: (previous, next) => previous.run === next.run && previous.profile === next.profile,
};

/** Overview, operators and kernels of a profile, or how far they are computed. */
export const profileTables: ResourceDefinition<ProfileKey, TablesAnswer> = {
  kind: "profile_tables",
  read: ({ run, profile }, signal) => fetchTables(run, profile, signal),
  runs: ({ run }) => [run],
  keepsValue: (previous, next) => previous.run === next.run && previous.profile === next.profile,
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
