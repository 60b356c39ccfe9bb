// SPDX-License-Identifier: Apache-2.0
import type { ColumnSort } from "../core/tables/columnSort";
import type { Heat } from "../core/series/heat";
import { request } from "./client";
import { message } from "./decode";
import type { SeriesKey } from "./routes";
import type { components, paths } from "../core/messages/schema";

type Schemas = components["schemas"];

export type Kind = Schemas["Kind"];
export type ValueList = Schemas["ValuesAnswer"];
export type TensorFacts = Schemas["TensorAnswer"];
export type TensorWindow = Schemas["TensorWindowAnswer"];
export type TensorStatistics = Schemas["TensorStatisticsAnswer"];
export type TablePage = Schemas["TableAnswer"];
export type AudioClip = Schemas["AudioAnswer"];
export type Previews = Schemas["Previews"];

/** One value of a log; `id` names it for good. */
export interface ValueKey extends SeriesKey {
  id: string;
}

/** A tensor of a step in debugging data. `tag` is its name on the page, `version` that of the data. */
export interface StepTensorKey extends SeriesKey {
  source: string;
  rank: number;
  step: number;
  row: number;
  version: string;
}

export type TensorKey = ValueKey | StepTensorKey;

/** A part of a tensor: a text for each dimension, or null for what the server takes. */
export type SliceKey = TensorKey & { slice: readonly string[] | null };

async function json<Body>(path: string, query: URLSearchParams, signal?: AbortSignal): Promise<Body> {
  return (await (await request(`${path}?${query}`, signal ? { signal } : {})).json()) as Body;
}

function valueQuery({ run, tag, id }: ValueKey): URLSearchParams {
  return new URLSearchParams({ run, tag, id });
}

function tensorRoute(key: TensorKey): string {
  return "id" in key ? "/api/tensor" : "/api/debugger/tensor";
}

function tensorQuery(key: TensorKey): URLSearchParams {
  if ("id" in key) return valueQuery(key);
  const { run, source, rank, step, row } = key;
  return new URLSearchParams({ run, source, rank: String(rank), step: String(step), tensor_row: String(row) });
}

function sliceQuery(key: SliceKey, more: Readonly<Record<string, number>> = {}): URLSearchParams {
  const query = tensorQuery(key);
  for (const part of key.slice ?? []) query.append("slice", part);
  for (const [name, value] of Object.entries(more)) query.append(name, String(value));
  return query;
}

export function fetchValues({ run, tag }: SeriesKey, kind: Kind, signal: AbortSignal): Promise<ValueList> {
  return json("/api/values", new URLSearchParams({ run, tag, kind }), signal);
}

export function fetchTensor(key: TensorKey, signal: AbortSignal): Promise<TensorFacts> {
  return json(tensorRoute(key), tensorQuery(key), signal);
}

/** The JSON that a route answers. */
export type AnswerOf<Path extends keyof paths> = paths[Path] extends {
  get: { responses: { 200: { content: { "application/json": infer Body } } } };
}
  ? Body
  : never;

/** What a route of a kind says of one value. */
export function fetchFacts<Path extends keyof paths>(path: Path, key: ValueKey, signal: AbortSignal): Promise<AnswerOf<Path>> {
  return json(path, valueQuery(key), signal);
}

/** The encoded bytes of one value. */
export async function fetchBytes(path: keyof paths, key: ValueKey, signal: AbortSignal): Promise<Blob> {
  return (await request(`${path}?${valueQuery(key)}`, { signal })).blob();
}

export interface WindowPlace {
  row: number;
  rows: number;
  column: number;
  columns: number;
}

export function fetchWindow(key: SliceKey, { row, rows, column, columns }: WindowPlace, signal: AbortSignal): Promise<TensorWindow> {
  return json(`${tensorRoute(key)}/window`, sliceQuery(key, { row, rows, column, columns }), signal);
}

export function fetchStatistics(key: SliceKey, bins: number, signal: AbortSignal): Promise<TensorStatistics> {
  return json(`${tensorRoute(key)}/statistics`, sliceQuery(key, { bins }), signal);
}

export async function fetchHeat(key: SliceKey, rows: number, columns: number, signal: AbortSignal): Promise<Heat> {
  const address = `${tensorRoute(key)}/heat?${sliceQuery(key, { rows, columns })}`;
  const { columns_data, ...facts } = await message<"HeatHeader">(request(address, { signal }));
  return { ...facts, ...columns_data };
}

/** Where a slice can be downloaded as a file. */
export function tensorFile(key: SliceKey, suffix: "csv" | "json" | "npy"): string {
  return `${tensorRoute(key)}.${suffix}?${sliceQuery(key)}`;
}

export async function fetchTexts(key: ValueKey, signal: AbortSignal): Promise<readonly string[]> {
  return (await json<Schemas["TextAnswer"]>("/api/text", valueQuery(key), signal)).texts;
}

/** Which rows of a table: a condition, words, and the number of a column. */
export interface TableQuery {
  where: string;
  search: string;
  sort: ColumnSort | null;
}

function tableQuery(key: ValueKey, { where, search, sort }: TableQuery): URLSearchParams {
  const query = valueQuery(key);
  if (where !== "") query.set("where", where);
  if (search !== "") query.set("search", search);
  if (sort) query.set("sort", `${sort.isDescending ? "-" : ""}${sort.column}`);
  return query;
}

export function fetchTable(key: ValueKey, rows: TableQuery, first: number, count: number, signal: AbortSignal): Promise<TablePage> {
  const query = tableQuery(key, rows);
  query.set("first", String(first));
  query.set("count", String(count));
  return json("/api/table", query, signal);
}

/** Where the rows can be downloaded as CSV. */
export function tableCsv(key: ValueKey, rows: TableQuery): string {
  return `/api/table/csv?${tableQuery(key, rows)}`;
}

/** Where the image or the sound of a cell is. */
export function tableMedia(key: ValueKey, file: number): string {
  return `/api/table/media?${valueQuery(key)}&file=${file}`;
}

/** Where an HTML page is, as a document without rights. */
export function htmlAddress(key: ValueKey, runsScripts: boolean): string {
  return `/api/html?${valueQuery(key)}${runsScripts ? "&scripts=true" : ""}`;
}

function clipQuery(key: ValueKey, clip: number): URLSearchParams {
  const query = valueQuery(key);
  query.set("clip", String(clip));
  return query;
}

export function fetchAudioClip(key: ValueKey, clip: number, signal: AbortSignal): Promise<AudioClip> {
  return json("/api/audio", clipQuery(key, clip), signal);
}

export async function fetchAudio(key: ValueKey, clip: number, signal: AbortSignal): Promise<Blob> {
  return (await request(`/api/audio/data?${clipQuery(key, clip)}`, { signal })).blob();
}

/** `landscape` is a tag; null for the landscape that the server takes. */
export function fetchPreviews({ run, landscape }: { run: string; landscape: string | null }, signal: AbortSignal): Promise<Previews> {
  return json("/api/previews", new URLSearchParams(landscape === null ? { run } : { run, landscape }), signal);
}
