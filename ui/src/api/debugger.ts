// SPDX-License-Identifier: Apache-2.0
import type { Message, Schemas } from "../core/messages/message";
import { request } from "./client";
import { message } from "./decode";
import { json, type Json } from "./routes";

export type DebugSources = Json<"/api/debugger/sources", "post">;
export type DebugSource = Schemas["DebugSourceEntry"];
export type DebugTensor = Schemas["DebugTensorEntry"];
export type DebugRowDetails = Json<"/api/debugger/row", "post">;
export type DebugSteps = Json<"/api/debugger/steps", "post">;
export type DebugFirstBadAnswer = Json<"/api/debugger/first_bad", "post">;
export type DebugFirstBad = Schemas["DebugFirstBad"];
export type DebugGrowth = Schemas["DebugGrowth"];
export type DebugOperator = Schemas["DebugOperatorEntry"];
export type DebugRow = Schemas["DebugRowEntry"];
export type DebugConditions = Json<"/api/debugger/conditions", "get">;
export type DebugCondition = Schemas["DebugConditionEntry"];
export type DebugParameter = Schemas["DebugParameterEntry"];
export type DebugWatchQuery = Schemas["DebugWatchQuery"];
export type DebugWatchAnswer = Json<"/api/debugger/watchpoints", "post">;
export type DebugWatchpoint = Schemas["DebugWatchpointEntry"];
export type DebugHit = Schemas["DebugHitEntry"];
export type OfAllRanks = Schemas["OfAllRanks"];
export type OfSource = Schemas["OfSource"];
export type DebugRowsQuery = Schemas["DebugRowsQuery"];
export type DebugRowQuery = Schemas["DebugRowQuery"];
export type DebugHistoryQuery = Schemas["DebugHistoryQuery"];
export type DebugHeatQuery = Schemas["DebugHeatQuery"];
export type FigureName = DebugHistoryQuery["figure"];

/** A page of the rows of a step; figures by name, NaN where one was not recorded. */
export type DebugRows = Message<"DebugRowsHeader">;
export type DebugHistory = Message<"DebugHistoryHeader">;
/** Cells column by column: the tensors of a step are neighbors. */
export type DebugHeat = Message<"DebugHeatHeader">;

export function fetchDebugSources(runs: readonly string[], signal: AbortSignal): Promise<DebugSources> {
  return json(request("/api/debugger/sources", { body: { runs }, signal }));
}

export function fetchDebugSteps(query: OfSource, signal: AbortSignal): Promise<DebugSteps> {
  return json(request("/api/debugger/steps", { body: query, signal }));
}

export function fetchDebugRow(query: DebugRowQuery, signal?: AbortSignal): Promise<DebugRowDetails> {
  return json(request("/api/debugger/row", { body: query, ...(signal ? { signal } : {}) }));
}

export function fetchDebugFirstBad(query: OfAllRanks, signal: AbortSignal): Promise<DebugFirstBadAnswer> {
  return json(request("/api/debugger/first_bad", { body: query, signal }));
}

export function fetchDebugConditions(signal: AbortSignal): Promise<DebugConditions> {
  return json(request("/api/debugger/conditions", { signal }));
}

export function fetchDebugWatch(query: DebugWatchQuery, signal: AbortSignal): Promise<DebugWatchAnswer> {
  return json(request("/api/debugger/watchpoints", { body: query, signal }));
}

export function fetchDebugRows(query: DebugRowsQuery, signal: AbortSignal): Promise<DebugRows> {
  return message<"DebugRowsHeader">(request("/api/debugger/rows", { body: query, signal }));
}

export function fetchDebugHistory(query: DebugHistoryQuery, signal: AbortSignal): Promise<DebugHistory> {
  return message<"DebugHistoryHeader">(request("/api/debugger/history", { body: query, signal }));
}

export function fetchDebugHeat(query: DebugHeatQuery, signal: AbortSignal): Promise<DebugHeat> {
  return message<"DebugHeatHeader">(request("/api/debugger/heat", { body: query, signal }));
}

export type DebugFailures = Json<"/api/debugger/failures", "post">;
export type DebugFailure = Json<"/api/debugger/failure", "post">;
export type DebugFailureQuery = Schemas["DebugFailureQuery"];
export type DebugTextTable = Schemas["DebugTextTable"];

/** What recorders wrote when the trainings of runs failed. */
export function fetchDebugFailures(runs: readonly string[], signal: AbortSignal): Promise<DebugFailures> {
  return json(request("/api/debugger/failures", { body: { runs }, signal }));
}

export function fetchDebugFailure(query: DebugFailureQuery, signal: AbortSignal): Promise<DebugFailure> {
  return json(request("/api/debugger/failure", { body: query, signal }));
}
