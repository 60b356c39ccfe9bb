// SPDX-License-Identifier: Apache-2.0
import { request } from "./client";
import { json, type Json } from "./routes";
import type { components } from "../core/messages/schema";

type Schemas = components["schemas"];
export type LogFiles = Json<"/api/logs/files", "post">;
export type RunLogs = Schemas["RunLogs"];
export type LogLine = Schemas["LogLine"];
export type LogLines = Json<"/api/logs/lines", "post">;
export type LogLinesQuery = Schemas["LogLinesQuery"];
export type LogHistogram = Json<"/api/logs/histogram", "post">;
export type LogHistogramQuery = Schemas["LogHistogramQuery"];
/** Which messages of which log. */
export type LogConditions = Omit<LogHistogramQuery, "columns">;
export type LogTensor = Schemas["LogTensor"];
export type LogFileQuery = Schemas["LogFileQuery"];
export type LogMessage = Json<"/api/logs/message", "post">;
export type LogMessageQuery = Schemas["LogMessageQuery"];

export function fetchLogFiles(runs: readonly string[], signal: AbortSignal): Promise<LogFiles> {
  return json(request("/api/logs/files", { body: { runs }, signal }));
}

export function fetchLogLines(query: LogLinesQuery, signal: AbortSignal): Promise<LogLines> {
  return json(request("/api/logs/lines", { body: query, signal }));
}

export function fetchLogHistogram(query: LogHistogramQuery, signal: AbortSignal): Promise<LogHistogram> {
  return json(request("/api/logs/histogram", { body: query, signal }));
}

export function fetchLogMessage(query: LogMessageQuery, signal: AbortSignal): Promise<LogMessage> {
  return json(request("/api/logs/message", { body: query, signal }));
}

export async function fetchLogFile(query: LogFileQuery): Promise<Blob> {
  return (await request("/api/logs/file", { body: query })).blob();
}
