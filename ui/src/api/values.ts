// SPDX-License-Identifier: Apache-2.0
import type { ColumnSort } from "../core/tables/columnSort";
import type { Heat } from "../core/series/heat";
import { address, link, request } from "./client";
import { message } from "./decode";
import { blob, get, json, type Json, type SeriesKey } from "./routes";
import { browserPath } from "../core/view/root";
import type { Message } from "../core/messages/message";
import type { components, paths } from "../core/messages/schema";

type Schemas = components["schemas"];

export type Kind = Schemas["Kind"];
export type ValueList = Schemas["ValuesAnswer"];
export type TensorFacts = Schemas["TensorAnswer"];
export type TensorWindow = Schemas["TensorWindowAnswer"];
export type TensorStatistics = Schemas["TensorStatisticsAnswer"];
export type TablePage = Schemas["TableAnswer"];
export type AudioClip = Schemas["AudioAnswer"];
export type MeshValue = Message<"MeshHeader">;
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

function tensorRoute(key: TensorKey): string {
  return "id" in key ? "/api/tensor" : "/api/debugger/tensor";
}

function tensorQuery(key: TensorKey): object {
  const { run, tag } = key;
  if ("id" in key) return { run, tag, id: key.id };
  const { source, rank, step, row } = key;
  return { run, source, rank, step, tensor_row: row };
}

function sliceAddress(key: SliceKey, route: string, more: object = {}): string {
  return address(tensorRoute(key) + route, { ...tensorQuery(key), slice: key.slice, ...more });
}

export function fetchTensor(key: TensorKey, signal: AbortSignal): Promise<TensorFacts> {
  return json(request(tensorRoute(key), { query: tensorQuery(key), signal }));
}

/** What a route of a kind says of one value. */
export function fetchFacts<Path extends keyof paths>(
  path: Path,
  { run, tag, id }: ValueKey,
  signal: AbortSignal,
): Promise<Json<Path, "get">> {
  return json(request(path, { query: { run, tag, id }, signal }));
}

/** The encoded bytes of one value. */
export function fetchBytes(path: keyof paths, { run, tag, id }: ValueKey, signal: AbortSignal): Promise<Blob> {
  return blob(request(path, { query: { run, tag, id }, signal }));
}

export interface WindowPlace {
  row: number;
  rows: number;
  column: number;
  columns: number;
}

export function fetchWindow(key: SliceKey, place: WindowPlace, signal: AbortSignal): Promise<TensorWindow> {
  const { row, rows, column, columns } = place;
  return json(request(sliceAddress(key, "/window", { row, rows, column, columns }), { signal }));
}

export function fetchStatistics(key: SliceKey, bins: number, signal: AbortSignal): Promise<TensorStatistics> {
  return json(request(sliceAddress(key, "/statistics", { bins }), { signal }));
}

export async function fetchHeat(key: SliceKey, rows: number, columns: number, signal: AbortSignal): Promise<Heat> {
  const answer = request(sliceAddress(key, "/heat", { rows, columns }), { signal });
  const { columns_data, ...facts } = await message<"HeatHeader">(answer);
  return { ...facts, ...columns_data };
}

/** A mesh of a batch, with at most `most` vertices. */
export async function fetchMesh({ run, tag, id }: ValueKey, item: number, most: number, signal: AbortSignal): Promise<MeshValue> {
  return message<"MeshHeader">(request("/api/mesh", { query: { run, tag, id, item, most }, signal }));
}

/** Where a slice can be downloaded as a file. */
export function tensorFile(key: SliceKey, suffix: "csv" | "json" | "npy"): string {
  return browserPath(sliceAddress(key, `.${suffix}`));
}

export async function fetchTexts({ run, tag, id }: ValueKey, signal: AbortSignal): Promise<readonly string[]> {
  return (await get("/api/text", { run, tag, id }, signal)).texts;
}

/** Which rows of a table: a condition, words, and the number of a column. */
export interface TableQuery {
  where: string;
  search: string;
  sort: ColumnSort | null;
}

function tableQuery({ run, tag, id }: ValueKey, { where, search, sort }: TableQuery) {
  const order = sort ? [`${sort.isDescending ? "-" : ""}${sort.column}`] : [];
  return { run, tag, id, ...(where !== "" && { where }), ...(search !== "" && { search }), sort: order };
}

export function fetchTable(key: ValueKey, rows: TableQuery, first: number, count: number, signal: AbortSignal): Promise<TablePage> {
  return get("/api/table", { ...tableQuery(key, rows), first, count }, signal);
}

/** Where the rows can be downloaded as CSV. */
export function tableCsv(key: ValueKey, rows: TableQuery): string {
  return link("/api/table/csv", tableQuery(key, rows));
}

/** Where the image or the sound of a cell is. */
export function tableMedia({ run, tag, id }: ValueKey, file: number): string {
  return link("/api/table/media", { run, tag, id, file });
}

/** Where an HTML page is, as a document without rights. */
export function htmlAddress({ run, tag, id }: ValueKey, runsScripts: boolean): string {
  return link("/api/html", { run, tag, id, ...(runsScripts && { scripts: true }) });
}

export function fetchAudioClip({ run, tag, id }: ValueKey, clip: number, signal: AbortSignal): Promise<AudioClip> {
  return get("/api/audio", { run, tag, id, clip }, signal);
}

export function fetchAudio({ run, tag, id }: ValueKey, clip: number, signal: AbortSignal): Promise<Blob> {
  return blob(request("/api/audio/data", { query: { run, tag, id, clip }, signal }));
}

/** `landscape` is a tag; null for the landscape that the server takes. */
export function fetchPreviews(query: { run: string; landscape: string | null }, signal: AbortSignal): Promise<Previews> {
  return get("/api/previews", query, signal);
}
