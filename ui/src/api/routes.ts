// SPDX-License-Identifier: Apache-2.0
import type { Axis, Range } from "../core/scales/axis";
import { NO_ROWS, type Series } from "../core/series/series";
import { address, request } from "./client";
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

/** What a route takes: lists and objects that the caller may not change. */
type Sent<T> = T extends readonly (infer Item)[] ? readonly Sent<Item>[] : T extends object ? { readonly [K in keyof T]: Sent<T[K]> } : T;

type Parameters<P extends keyof paths> = paths[P] extends { get: { parameters: { query?: infer Query } } }
  ? Sent<NonNullable<Query>>
  : never;

type Body<P extends keyof paths> = paths[P] extends { post: { requestBody: { content: { "application/json": infer Sends } } } }
  ? Sent<Sends>
  : never;

export async function json<Body>(response: Promise<Response>): Promise<Body> {
  return (await (await response).json()) as Body;
}

export async function blob(response: Promise<Response>): Promise<Blob> {
  return (await response).blob();
}

/** The JSON of a route. Raises ApiError. */
export function get<P extends keyof paths>(path: P, query: Parameters<P>, signal?: AbortSignal): Promise<Json<P, "get">> {
  return json(request(path, { query, signal }));
}

/** The JSON that a route answers to a body. Raises ApiError. */
export function post<P extends keyof paths>(path: P, body: Body<P>, signal?: AbortSignal): Promise<Json<P, "post">> {
  return json(request(path, { body, signal }));
}

export function fetchServer(): Promise<Server> {
  return json(request("/api/server"));
}

export function fetchTags(runs: readonly string[], kind: string, signal: AbortSignal): Promise<TagList> {
  return json(request("/api/tags", { body: { runs, kind }, signal }));
}

/** One answer for each series; it leaves out rows that are known by `since`, see `completed`. */
export async function fetchCurves(query: CurveQuery, signal: AbortSignal): Promise<Series[]> {
  const { series } = await message<"CurvesHeader">(request("/api/curves", { body: query, signal }));
  return series.map((curve) => ({ x: null, ...NO_ROWS, ...flattened(curve) }));
}

/** All points of a series as CSV text: step, wall_time, value. */
export async function fetchCsv({ run, tag }: SeriesKey): Promise<string> {
  return (await request("/api/scalars.csv", { query: { run, tag } })).text();
}

/** Address of an image. The bytes at an address never change. */
export function imageAddress({ run, tag }: SeriesKey, id: string, picture: number): string {
  return address("/api/image", { run, tag, id, picture });
}

export function fetchImage(from: string, signal?: AbortSignal): Promise<Blob> {
  return blob(request(from, { signal }));
}
