// SPDX-License-Identifier: Apache-2.0
import { request } from "./client";
import { float64, readHeader } from "./columns";
import { json, type Json } from "./routes";
import type { components } from "./schema";

type Schemas = components["schemas"];
type Column = Schemas["Column"];
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
export type DebugRecommendation = Schemas["DebugRecommendationEntry"];
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
export type DebugRows = Omit<Schemas["DebugRowsHeader"], "row" | "order" | "figures"> & {
  row: Int32Array;
  order: Int32Array;
  figures: ReadonlyMap<string, Float64Array>;
};

export type DebugHistory = Omit<Schemas["DebugHistoryHeader"], "step" | "values" | "non_finite"> & {
  step: Float64Array;
  values: readonly Float64Array[];
  nonFinite: readonly Float64Array[];
};

/** Cells column by column: the tensors of a step are neighbors. */
export type DebugHeat = Omit<Schemas["DebugHeatHeader"], "start" | "step" | "value" | "bits"> & {
  start: Float64Array;
  step: Float64Array;
  value: Float64Array;
  bits: Uint8Array;
};

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

export async function fetchDebugRows(query: DebugRowsQuery, signal: AbortSignal): Promise<DebugRows> {
  return decodeDebugRows(await bytesOf("/api/debugger/rows", query, signal));
}

export async function fetchDebugHistory(query: DebugHistoryQuery, signal: AbortSignal): Promise<DebugHistory> {
  return decodeDebugHistory(await bytesOf("/api/debugger/history", query, signal));
}

export async function fetchDebugHeat(query: DebugHeatQuery, signal: AbortSignal): Promise<DebugHeat> {
  return decodeDebugHeat(await bytesOf("/api/debugger/heat", query, signal));
}

/** Raises RangeError or SyntaxError for bytes that are no rows. */
export function decodeDebugRows(buffer: ArrayBuffer): DebugRows {
  const { header, start } = readHeader<Schemas["DebugRowsHeader"]>(buffer);
  const { row, order, figures } = header;
  return {
    ...header,
    row: new Int32Array(buffer, start + row.offset, row.length),
    order: new Int32Array(buffer, start + order.offset, order.length),
    figures: new Map(Object.entries(figures).map(([name, column]) => [name, float64(buffer, start, column)])),
  };
}

/** Raises RangeError or SyntaxError for bytes that are no history. */
export function decodeDebugHistory(buffer: ArrayBuffer): DebugHistory {
  const { header, start } = readHeader<Schemas["DebugHistoryHeader"]>(buffer);
  const { step, values, non_finite, ...facts } = header;
  const columns = (list: readonly Column[]): Float64Array[] => list.map((each) => float64(buffer, start, each));
  return { ...facts, step: float64(buffer, start, step), values: columns(values), nonFinite: columns(non_finite) };
}

/** Raises RangeError or SyntaxError for bytes that are no heat map. */
export function decodeDebugHeat(buffer: ArrayBuffer): DebugHeat {
  const { header, start } = readHeader<Schemas["DebugHeatHeader"]>(buffer);
  return {
    ...header,
    start: float64(buffer, start, header.start),
    step: float64(buffer, start, header.step),
    value: float64(buffer, start, header.value),
    bits: new Uint8Array(buffer, start + header.bits.offset, header.bits.length),
  };
}

async function bytesOf(path: "/api/debugger/rows" | "/api/debugger/history" | "/api/debugger/heat", body: object, signal: AbortSignal) {
  return (await request(path, { body, signal })).arrayBuffer();
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
