// SPDX-License-Identifier: Apache-2.0
import { ApiError, request } from "./client";
import { json, type Json } from "./routes";
import type { Schemas } from "../core/messages/message";

export type Annotations = Json<"/api/annotations", "get">;
export type Records = Schemas["AnnotationRecords"];
export type RunNotes = Schemas["RunNotesRecord"];
export type GroupNotes = Schemas["GroupNotesRecord"];
export type Threshold = Schemas["Threshold"];
export type ThresholdRecord = Schemas["ThresholdRecord"];
export type PinRecord = Schemas["PinRecord"];
export type View = Schemas["View"];
export type ViewRecord = Schemas["ViewRecord"];
export type Mute = Schemas["Mute"];
export type MuteRecord = Schemas["MuteRecord"];
export type TargetRecord = Schemas["TargetRecord"];
export type Report = Schemas["Report"];
export type ReportBlock = Schemas["ReportBlock"];
export type ReportRecord = Schemas["ReportRecord"];
export type RunChange = Partial<Schemas["RunChange"]>;
export type GroupChange = Schemas["GroupChange"];

export function fetchAnnotations(): Promise<Annotations> {
  return json(request("/api/annotations"));
}

export function sendRunChanges(changes: readonly RunChange[]): Promise<Records> {
  return json(request("/api/annotations/runs", { body: { changes }, method: "PATCH" }));
}

export function sendGroupChanges(changes: readonly GroupChange[]): Promise<Records> {
  return json(request("/api/annotations/groups", { body: { changes }, method: "PATCH" }));
}

/** The records that people write one by one, by the name of their table. */
export interface Written {
  thresholds: Threshold;
  pins: Schemas["Pin"];
  views: View;
  mutes: Mute;
  targets: Schemas["Target"];
  reports: Report;
}

/** Writes a record on top of a version of it; null deletes it. */
export function sendRecord<Table extends keyof Written>(
  table: Table,
  id: string,
  version: number,
  record: Written[Table] | null,
): Promise<Records> {
  return json(request(`/api/annotations/${table}`, { body: { id, version, [table.slice(0, -1)]: record }, method: "PUT" }));
}

/** The current records, if the server refused a change because of a newer version. */
export function newerRecords(error: unknown): Records | null {
  if (!(error instanceof ApiError) || error.code !== "stale_record") return null;
  return (error.body as { newer?: Records }).newer ?? null;
}
