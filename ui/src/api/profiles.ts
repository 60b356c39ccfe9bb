// SPDX-License-Identifier: Apache-2.0
import type { Message } from "../core/messages/message";
import { request } from "./client";
import { message } from "./decode";
import { json, type Json } from "./routes";
import type { components } from "../core/messages/schema";

export type ProfileList = Json<"/api/profiles", "post">;
export type ProfileEntry = ProfileList["profiles"][number];
export type TimelineAnswer = Json<"/api/profiles/timeline", "get">;
export type TimelineFacts = NonNullable<TimelineAnswer["timeline"]>;
export type SliceAnswer = Json<"/api/profiles/slice", "get">;
export type SliceBrief = SliceAnswer["slice"];
export type SearchAnswer = Json<"/api/profiles/search", "post">;
export type SearchQuery = components["schemas"]["SearchQuery"];
export type TablesAnswer = Json<"/api/profiles/tables", "get">;
export type ProfileTables = NonNullable<TablesAnswer["tables"]>;
export type WindowQuery = components["schemas"]["WindowQuery"];
export type RangeQuery = components["schemas"]["RangeQuery"];
export type StatisticsAnswer = Json<"/api/profiles/statistics", "post">;

export type DiffAnswer = Json<"/api/profiles/diff", "get">;

/** Two profiles, or two ranges of steps; null for all steps. */
export interface DiffQuery {
  before: { run: string; profile: string; steps: readonly [number, number] | null };
  after: { run: string; profile: string; steps: readonly [number, number] | null };
}

export type ScopesAnswer = Json<"/api/profiles/scopes", "post">;
export type ScopesQuery = components["schemas"]["ScopesQuery"];

/** A profile at a version. */
export interface OfTimeline {
  run: string;
  profile: string;
  version: string;
}

export function fetchProfiles(runs: readonly string[], signal: AbortSignal): Promise<ProfileList> {
  return json(request("/api/profiles", { body: { runs }, signal }));
}

export function fetchTimeline(run: string, profile: string, signal: AbortSignal): Promise<TimelineAnswer> {
  return json(request(`/api/profiles/timeline?${new URLSearchParams({ run, profile })}`, { signal }));
}

/** Without waiting, tables that are not computed yet are null. */
export function fetchTables(run: string, profile: string, isWaiting: boolean, signal: AbortSignal): Promise<TablesAnswer> {
  return json(request(`/api/profiles/tables?${new URLSearchParams({ run, profile, is_waiting: String(isWaiting) })}`, { signal }));
}

export function fetchScopes(query: ScopesQuery, signal: AbortSignal): Promise<ScopesAnswer> {
  return json(request("/api/profiles/scopes", { body: query, signal }));
}

export function fetchDiff({ before, after }: DiffQuery, signal: AbortSignal): Promise<DiffAnswer> {
  const query = new URLSearchParams({
    ...{ run: after.run, profile: after.profile, before_run: before.run, before_profile: before.profile },
    ...(after.steps && { first: String(after.steps[0]), last: String(after.steps[1]) }),
    ...(before.steps && { before_first: String(before.steps[0]), before_last: String(before.steps[1]) }),
  });
  return json(request(`/api/profiles/diff?${query}`, { signal }));
}

export function fetchWindow(query: WindowQuery, signal: AbortSignal): Promise<Message<"WindowHeader">> {
  return message<"WindowHeader">(request("/api/profiles/window", { body: query, signal }));
}

export function fetchSlice(of: OfTimeline, slice: number, signal: AbortSignal): Promise<SliceAnswer> {
  return json(request(`/api/profiles/slice?${new URLSearchParams({ ...of, slice: String(slice) })}`, { signal }));
}

export async function fetchNames(of: OfTimeline, signal: AbortSignal): Promise<string[]> {
  return (await json<{ names: string[] }>(request(`/api/profiles/names?${new URLSearchParams({ ...of })}`, { signal }))).names;
}

export function fetchSearch(query: SearchQuery, signal: AbortSignal): Promise<SearchAnswer> {
  return json(request("/api/profiles/search", { body: query, signal }));
}

export function fetchRangeStatistics(query: RangeQuery, signal: AbortSignal): Promise<StatisticsAnswer> {
  return json(request("/api/profiles/statistics", { body: query, signal }));
}

export function fetchFlame(query: RangeQuery, signal: AbortSignal): Promise<Message<"FlameHeader">> {
  return message<"FlameHeader">(request("/api/profiles/flame", { body: query, signal }));
}

/** The address of the JSON trace of a range. */
export function exportAddress({ tracks, begin_ns, end_ns, ...of }: RangeQuery): string {
  const query = new URLSearchParams({ ...of, begin_ns: String(begin_ns), end_ns: String(end_ns) });
  for (const track of tracks) query.append("tracks", String(track));
  return `/api/profiles/export?${query}`;
}
