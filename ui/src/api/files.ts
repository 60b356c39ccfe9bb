// SPDX-License-Identifier: Apache-2.0
import { link, request } from "./client";
import { json, type Json } from "./routes";

export type RunFileList = Json<"/api/files", "get">;
export type RunFile = RunFileList["files"][number];
export type FileText = Json<"/api/files/text", "get">;

/** Which file of which run. */
export interface FileQuery {
  run: string;
  path: string;
}

export function fetchRunFiles(run: string, signal: AbortSignal): Promise<RunFileList> {
  return json(request(`/api/files?${new URLSearchParams({ run })}`, { signal }));
}

export function fetchFileText({ run, path }: FileQuery, signal: AbortSignal): Promise<FileText> {
  return json(request(`/api/files/text?${new URLSearchParams({ run, path })}`, { signal }));
}

/** Where a browser saves the bytes from. */
export function addressOfFile({ run, path }: FileQuery): string {
  return link("/api/files/content", { run, path });
}
