// SPDX-License-Identifier: Apache-2.0
import type { ModuleColumns } from "../core/profiles/moduleTree";
import { request } from "./client";
import { json, type Json } from "./routes";
import type { components } from "../core/messages/schema";

export type RowsQuery = components["schemas"]["RowsQuery"];
export type RowQuery = components["schemas"]["RowQuery"];
export type RowsFileQuery = components["schemas"]["RowsFileQuery"];
export type ModulesFileQuery = components["schemas"]["ModulesFileQuery"];
export type RowsAnswer = Json<"/api/profiles/rows", "post">;
export type RowAnswer = Json<"/api/profiles/row", "post">;

export function fetchRows(query: RowsQuery, signal: AbortSignal): Promise<RowsAnswer> {
  return json(request("/api/profiles/rows", { body: query, signal }));
}

export function fetchRow(query: RowQuery, signal: AbortSignal): Promise<RowAnswer> {
  return json(request("/api/profiles/row", { body: query, signal }));
}

export async function fetchRowsFile(query: RowsFileQuery): Promise<Blob> {
  return (await request("/api/profiles/rows/file", { body: query })).blob();
}

export function fetchModules(run: string, profile: string, signal: AbortSignal): Promise<ModuleColumns> {
  return json(request(`/api/profiles/modules?${new URLSearchParams({ run, profile })}`, { signal }));
}

export async function fetchModulesFile(query: ModulesFileQuery): Promise<Blob> {
  return (await request("/api/profiles/modules/file", { body: query })).blob();
}
