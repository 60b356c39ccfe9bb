// SPDX-License-Identifier: Apache-2.0
import { link, request } from "../../api/client";
import { message } from "../../api/decode";
import { get, post, type Json } from "../../api/routes";
import type { Schemas } from "../../core/messages/message";
import type { Flame } from "../../core/profiles/flame";
import type { ProfileKey } from "../../core/view/profileView";
import { noRuns, type ResourceDefinition } from "../requests/resourceCache";

type ProfileList = Json<"/api/profiles", "post">;
export type ProfileEntry = ProfileList["profiles"][number];
export type TimelineAnswer = Json<"/api/profiles/timeline", "get">;
export type TimelineFacts = NonNullable<TimelineAnswer["timeline"]>;
export type SliceAnswer = Json<"/api/profiles/slice", "get">;
export type SliceBrief = SliceAnswer["slice"];
export type SearchAnswer = Json<"/api/profiles/search", "post">;
type TablesAnswer = Json<"/api/profiles/tables", "get">;
export type RangeQuery = Schemas["RangeQuery"];
export type StatisticsAnswer = Json<"/api/profiles/statistics", "post">;
export type ProfileTables = NonNullable<TablesAnswer["tables"]>;
export type ProfileCard = ProfileTables["summary"]["cards"][number];
export type ProfileAdvice = ProfileCard["advice"][number];
export type ProfileMissing = ProfileTables["summary"]["missing"][number];

type DiffAnswer = Json<"/api/profiles/diff", "get">;
export type ProfileDiff = NonNullable<DiffAnswer["diff"]>;
export type ChangeRow = ProfileDiff["operators"][number];
export type CallRow = NonNullable<ProfileDiff["calls"]>[number];

/** Two profiles, or two ranges of steps; null for all steps. */
interface DiffQuery {
  before: { run: string; profile: string; steps: readonly [number, number] | null };
  after: { run: string; profile: string; steps: readonly [number, number] | null };
}

/** A profile at a version. */
export interface OfTimeline {
  run: string;
  profile: string;
  version: string;
}

/** The address of the JSON trace of a range. */
export const exportAddress = (range: RangeQuery): string => link("/api/profiles/export", range);

/** Between two requests for the progress of reading a profile. */
export const PROGRESS_MS = 400;

/** Whether the contents of a run have a profile among them. */
export function holdsProfiles(contents: readonly { kind: string }[] | undefined): boolean {
  return contents?.some(({ kind }) => kind.endsWith("_profile")) ?? false;
}

/** The profiles of some runs. */
export const profileList: ResourceDefinition<{ runs: readonly string[] }, ProfileList> = {
  kind: "profiles",
  read: ({ runs }, signal) => (runs.length > 0 ? post("/api/profiles", { runs }, signal) : Promise.resolve({ profiles: [], unlisted: [] })),
  runs: ({ runs }) => runs,
};

/** The same, requested again when other profiles appear, not whenever a run grows. */
export const listedProfiles: ResourceDefinition<{ runs: readonly string[]; contents: unknown }, ProfileList> = {
  kind: "listed_profiles",
  read: ({ runs }, signal) => post("/api/profiles", { runs }, signal),
  runs: noRuns,
  bytes: ({ profiles }) => 400 * profiles.length,
};

/** What a timeline consists of, or how far it is read. */
export const timelineSource: ResourceDefinition<ProfileKey, TimelineAnswer> = {
  kind: "timeline",
  pollMs: PROGRESS_MS,
  read: ({ run, profile }, signal) => get("/api/profiles/timeline", { run, profile }, signal),
  runs: ({ run }) => [run],
  keepsValue: (previous, next) => previous.run === next.run && previous.profile === next.profile,
};

/** Overview of a profile, or how far it is computed. */
export const profileTables: ResourceDefinition<ProfileKey, TablesAnswer> = {
  kind: "profile_tables",
  pollMs: PROGRESS_MS,
  read: ({ run, profile }, signal) => get("/api/profiles/tables", { run, profile, is_waiting: true }, signal),
  runs: ({ run }) => [run],
  keepsValue: (previous, next) => previous.run === next.run && previous.profile === next.profile,
};

/** The same where it is computed already. */
export const computedTables: ResourceDefinition<ProfileKey, TablesAnswer> = {
  ...profileTables,
  kind: "computed_profile_tables",
  read: ({ run, profile }, signal) => get("/api/profiles/tables", { run, profile, is_waiting: false }, signal),
};

/** What changed from one profile to another, or how far they are read. */
export const profileDiff: ResourceDefinition<DiffQuery, DiffAnswer> = {
  kind: "profile_diff",
  pollMs: PROGRESS_MS,
  read: ({ before, after }, signal) => {
    const query = { run: after.run, profile: after.profile, before_run: before.run, before_profile: before.profile };
    const [first = null, last = null] = after.steps ?? [];
    const [before_first = null, before_last = null] = before.steps ?? [];
    return get("/api/profiles/diff", { ...query, first, last, before_first, before_last }, signal);
  },
  runs: ({ before, after }) => [before.run, after.run],
  bytes: ({ diff }) => 400 * ((diff?.operators.length ?? 0) + (diff?.calls?.length ?? 0) + (diff?.kernels?.length ?? 0)),
};

/** What the newest profile of a run says of the scopes of a graph. */
export const scopeTimes: ResourceDefinition<Schemas["ScopesQuery"], Json<"/api/profiles/scopes", "post">> = {
  kind: "scope_times",
  pollMs: PROGRESS_MS,
  read: (query, signal) => post("/api/profiles/scopes", query, signal),
  runs: ({ run }) => [run],
  bytes: ({ scopes }) => 600 * scopes.length,
};

export const sliceSource: ResourceDefinition<OfTimeline & { slice: number }, SliceAnswer> = {
  kind: "slice",
  read: (query, signal) => get("/api/profiles/slice", query, signal),
  runs: noRuns,
  bytes: ({ arguments: some, children }) => 400 * (some.length + children.length) + 2000,
};

export const sliceNames: ResourceDefinition<OfTimeline, readonly string[]> = {
  kind: "slice_names",
  read: async (of, signal) => (await get("/api/profiles/names", of, signal)).names,
  runs: noRuns,
  bytes: (names) => 80 * names.length,
};

export const sliceSearch: ResourceDefinition<Schemas["SearchQuery"], SearchAnswer> = {
  kind: "slice_search",
  read: (query, signal) => post("/api/profiles/search", query, signal),
  runs: noRuns,
};

export const rangeStatistics: ResourceDefinition<RangeQuery, StatisticsAnswer> = {
  kind: "range_statistics",
  read: (query, signal) => post("/api/profiles/statistics", query, signal),
  runs: noRuns,
};

export const rangeFlame: ResourceDefinition<RangeQuery, Flame> = {
  kind: "range_flame",
  read: (query, signal) => message<"FlameHeader">(request("/api/profiles/flame", { body: query, signal })),
  runs: noRuns,
};
