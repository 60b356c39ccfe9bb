// SPDX-License-Identifier: Apache-2.0
import type { Axis, Range } from "../core/scales/axis";
import { NO_ROWS, type Series } from "../core/series/series";
import { request } from "./client";
import { flattened, message } from "./decode";
import type { paths } from "../core/messages/schema";

export type Json<P extends keyof paths, M extends "get" | "post" | "put" | "patch"> = paths[P] extends {
  [K in M]: { responses: { 200: { content: { "application/json": infer Body } } } };
}
  ? Body
  : never;

export type Server = Json<"/api/server", "get">;
export type RunList = Json<"/api/runs", "get">;
export type Run = RunList["runs"][number];
export type UnreadablePath = NonNullable<RunList["unread"]>[number];
export type TagList = Json<"/api/tags", "post">;
export type ImageList = Json<"/api/images", "get">;
export type DamageList = Json<"/api/damages", "get">;

export interface SeriesKey {
  run: string;
  tag: string;
}

/** A series, and the cursor of rows of it that are known and need not be sent again. */
export interface KnownSeries extends SeriesKey {
  since: string | null;
}

/** Which rows of which series, reduced for how many pixels. */
export interface CurveQuery {
  series: readonly KnownSeries[];
  axis: Axis;
  range: Range | null;
  pixels: number;
  /** Columns even in the logarithm of x less this; null: even in x. */
  log_origin: number | null;
  smoothing: number;
  /** Adds the points that a restart or a later point of the same step hides. */
  overwritten: boolean;
}

export async function json<Body>(response: Promise<Response>): Promise<Body> {
  return (await (await response).json()) as Body;
}

export function fetchServer(): Promise<Server> {
  return json(request("/api/server"));
}

/** All runs, or what is different since the cursor of an answer. */
export function fetchRuns(since: string | null): Promise<RunList> {
  return json(request(since === null ? "/api/runs" : `/api/runs?${new URLSearchParams({ since })}`));
}

export function fetchTags(runs: readonly string[], kind: string, signal: AbortSignal): Promise<TagList> {
  return json(request("/api/tags", { body: { runs, kind }, signal }));
}

/** One answer for each series; it leaves out rows that are known by `since`, see `completed`. */
export async function fetchCurves(query: CurveQuery, signal: AbortSignal): Promise<Series[]> {
  const { series } = await message<"CurvesHeader">(request("/api/curves", { body: query, signal }));
  return series.map((curve) => ({ x: null, ...NO_ROWS, ...flattened(curve) }));
}

export function fetchDamages(run: string, signal: AbortSignal): Promise<DamageList> {
  return json(request(`/api/damages?${new URLSearchParams({ run })}`, { signal }));
}

/** All points of a series as CSV text: step, wall_time, value. */
export async function fetchCsv({ run, tag }: SeriesKey): Promise<string> {
  return (await request(`/api/scalars.csv?${new URLSearchParams({ run, tag })}`)).text();
}

/** All values; it leaves out those that are known by `since`, see `completedList`. */
export function fetchImages({ run, tag, since }: KnownSeries, signal: AbortSignal): Promise<ImageList> {
  const query = new URLSearchParams({ run, tag, ...(since === null ? {} : { since }) });
  return json(request(`/api/images?${query}`, { signal }));
}

/** Address of an image. The bytes at an address never change. */
export function imageAddress({ run, tag }: SeriesKey, id: string, picture: number): string {
  return `/api/image?${new URLSearchParams({ run, tag, id, picture: String(picture) })}`;
}

export async function fetchImage(address: string, signal?: AbortSignal): Promise<Blob> {
  return (await request(address, signal ? { signal } : {})).blob();
}
