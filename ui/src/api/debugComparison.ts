// SPDX-License-Identifier: Apache-2.0
import type { Message, Schemas } from "../core/messages/message";
import { request } from "./client";
import { message } from "./decode";
import { json, type Json } from "./routes";

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
export type DebugComparison = Message<"DebugComparisonHeader">;

export function fetchDebugComparison(query: OfComparison, signal: AbortSignal): Promise<DebugComparison> {
  return message<"DebugComparisonHeader">(request("/api/debugger/compare", { body: query, signal }));
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
