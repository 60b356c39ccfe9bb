// SPDX-License-Identifier: Apache-2.0
import { request } from "./client";
import { float64, readHeader } from "./columns";
import { json, type Json } from "./routes";
import type { components } from "./schema";

type Schemas = components["schemas"];
export type OfComparison = Schemas["OfComparison"];
export type DebugDifference = Schemas["DebugDifference"];
export type OperatorPair = Schemas["OperatorPair"];
export type ComparedOperatorsQuery = Schemas["ComparedOperatorsQuery"];
export type ComparedOperators = Json<"/api/debugger/compare/operators", "post">;
export type ComparedOperator = Schemas["ComparedOperatorEntry"];
export type UnmatchedQuery = Schemas["UnmatchedQuery"];
export type UnmatchedOperators = Json<"/api/debugger/compare/unmatched", "post">;
export type ComparedTensorQuery = Schemas["ComparedTensorQuery"];
export type ComparedTensor = Json<"/api/debugger/compare/tensor", "post">;
export type ElementsDifference = Schemas["ElementsDifference"];
export type DifferenceWindow = Schemas["DifferenceWindow"];
export type PairChange = Schemas["PairChange"];

/** Where two trainings part; a number for each compared step. */
export type DebugComparison = Omit<Schemas["DebugComparisonHeader"], "step" | "error" | "unbounded" | "differing"> &
  Readonly<Record<"step" | "error" | "unbounded" | "differing", Float64Array>>;

export async function fetchDebugComparison(query: OfComparison, signal: AbortSignal): Promise<DebugComparison> {
  const buffer = await (await request("/api/debugger/compare", { body: query, signal })).arrayBuffer();
  const { header, start } = readHeader<Schemas["DebugComparisonHeader"]>(buffer);
  const [step, error] = [float64(buffer, start, header.step), float64(buffer, start, header.error)];
  const [unbounded, differing] = [float64(buffer, start, header.unbounded), float64(buffer, start, header.differing)];
  return { ...header, step, error, unbounded, differing };
}

export function fetchComparedOperators(query: ComparedOperatorsQuery, signal: AbortSignal): Promise<ComparedOperators> {
  return json(request("/api/debugger/compare/operators", { body: query, signal }));
}

export function fetchComparedTensor(query: ComparedTensorQuery, signal: AbortSignal): Promise<ComparedTensor> {
  return json(request("/api/debugger/compare/tensor", { body: query, signal }));
}

export function fetchUnmatchedOperators(query: UnmatchedQuery, signal: AbortSignal): Promise<UnmatchedOperators> {
  return json(request("/api/debugger/compare/unmatched", { body: query, signal }));
}

export function putOperatorPair(change: PairChange): Promise<Json<"/api/debugger/compare/pairs", "put">> {
  return json(request("/api/debugger/compare/pairs", { body: change, method: "PUT" }));
}
