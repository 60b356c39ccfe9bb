// SPDX-License-Identifier: Apache-2.0
import { ApiError, request } from "./client";
import { json, type Json } from "./routes";
import type { components } from "../core/messages/schema";

export type Annotations = Json<"/api/annotations", "get">;
export type Records = components["schemas"]["AnnotationRecords"];
export type RunNotes = components["schemas"]["RunNotesRecord"];
export type GroupNotes = components["schemas"]["GroupNotesRecord"];
export type Threshold = components["schemas"]["Threshold"];
export type ThresholdRecord = components["schemas"]["ThresholdRecord"];
export type Pin = components["schemas"]["Pin"];
export type PinRecord = components["schemas"]["PinRecord"];
export type View = components["schemas"]["View"];
export type ViewRecord = components["schemas"]["ViewRecord"];
export type Mute = components["schemas"]["Mute"];
export type MuteRecord = components["schemas"]["MuteRecord"];
export type Target = components["schemas"]["Target"];
export type TargetRecord = components["schemas"]["TargetRecord"];
export type Report = components["schemas"]["Report"];
export type ReportBlock = components["schemas"]["ReportBlock"];
export type ReportRecord = components["schemas"]["ReportRecord"];
export type RunChange = Partial<components["schemas"]["RunChange"]>;
export type GroupChange = components["schemas"]["GroupChange"];

export function fetchAnnotations(): Promise<Annotations> {
  return json(request("/api/annotations"));
}

export function sendRunChanges(changes: readonly RunChange[]): Promise<Records> {
  return json(request("/api/annotations/runs", { body: { changes }, method: "PATCH" }));
}

export function sendGroupChanges(changes: readonly GroupChange[]): Promise<Records> {
  return json(request("/api/annotations/groups", { body: { changes }, method: "PATCH" }));
}

export function sendThreshold(id: string, version: number, threshold: Threshold | null): Promise<Records> {
  return json(request("/api/annotations/thresholds", { body: { id, version, threshold }, method: "PUT" }));
}

export function sendPin(id: string, version: number, pin: Pin | null): Promise<Records> {
  return json(request("/api/annotations/pins", { body: { id, version, pin }, method: "PUT" }));
}

export function sendView(id: string, version: number, view: View | null): Promise<Records> {
  return json(request("/api/annotations/views", { body: { id, version, view }, method: "PUT" }));
}

export function sendMute(id: string, version: number, mute: Mute | null): Promise<Records> {
  return json(request("/api/annotations/mutes", { body: { id, version, mute }, method: "PUT" }));
}

export function sendTarget(id: string, version: number, target: Target | null): Promise<Records> {
  return json(request("/api/annotations/targets", { body: { id, version, target }, method: "PUT" }));
}

export function sendReport(id: string, version: number, report: Report | null): Promise<Records> {
  return json(request("/api/annotations/reports", { body: { id, version, report }, method: "PUT" }));
}

/** The current records, if the server refused a change because of a newer version. */
export function newerRecords(error: unknown): Records | null {
  if (!(error instanceof ApiError) || error.code !== "stale_record") return null;
  return (error.body as { newer?: Records }).newer ?? null;
}
