// SPDX-License-Identifier: Apache-2.0
import { request } from "../../api/client";
import { message } from "../../api/decode";
import { json, post, type Json } from "../../api/routes";
import type { Message, Schemas } from "../../core/messages/message";
import type { ResourceDefinition } from "../requests/resourceCache";
import { readPages, SEARCH_MS } from "./debugger";

export type OfComparison = Schemas["OfComparison"];
export type DebugDifference = Schemas["DebugDifference"];
export type OperatorPair = Schemas["OperatorPair"];
export type ComparedOperatorsQuery = Schemas["ComparedOperatorsQuery"];
type ComparedOperators = Json<"/api/debugger/compare/operators", "post">;
export type ComparedOperator = Schemas["ComparedOperatorEntry"];
type UnmatchedQuery = Schemas["UnmatchedQuery"];
type ComparedTensorQuery = Schemas["ComparedTensorQuery"];
export type ComparedTensor = Json<"/api/debugger/compare/tensor", "post">;
export type ElementsDifference = Schemas["ElementsDifference"];
export type DifferenceWindow = Schemas["DifferenceWindow"];

/** Where two trainings part; a number for each compared step. */
export type DebugComparison = Message<"DebugComparisonHeader">;

export function putOperatorPair(change: Schemas["PairChange"]): Promise<Json<"/api/debugger/compare/pairs", "put">> {
  return json(request("/api/debugger/compare/pairs", { body: change, method: "PUT" }));
}

function isSame(previous: OfComparison, next: OfComparison): boolean {
  return (
    previous.run === next.run &&
    previous.source === next.source &&
    previous.other_run === next.other_run &&
    previous.other_source === next.other_source
  );
}

function runsOf({ run, other_run }: OfComparison): readonly string[] {
  return [run, other_run];
}

export const debugComparison: ResourceDefinition<OfComparison, DebugComparison> = {
  kind: "debug_comparison",
  pollMs: SEARCH_MS,
  read: (query, signal) => message<"DebugComparisonHeader">(request("/api/debugger/compare", { body: query, signal })),
  runs: runsOf,
  keepsValue: isSame,
};

/** A question about the operators of a comparison. `pairs` are those made by hand, which change the answer. */
interface Asked<Query> {
  query: Query;
  pairs: string;
}

/** Operators from `first` of the query on. */
export type OperatorPage = ComparedOperators & { first: number };

/** The last page stays until the next one is there. */
export const comparedOperators: ResourceDefinition<Asked<ComparedOperatorsQuery>, OperatorPage> = {
  kind: "compared_operators",
  read: async ({ query }, signal) => ({ ...(await post("/api/debugger/compare/operators", query, signal)), first: query.first ?? 0 }),
  runs: ({ query }) => runsOf(query),
  keepsValue: (previous, next) => isSame(previous.query, next.query),
};

export const unmatchedOperators: ResourceDefinition<Asked<UnmatchedQuery>, Json<"/api/debugger/compare/unmatched", "post">> = {
  kind: "unmatched_operators",
  read: ({ query }, signal) => post("/api/debugger/compare/unmatched", query, signal),
  runs: ({ query }) => runsOf(query),
  keepsValue: (previous, next) => isSame(previous.query, next.query) && previous.query.side === next.query.side,
};

/** The last difference stays until the next one is there, as while a tolerance changes. */
export const comparedTensor: ResourceDefinition<ComparedTensorQuery, ComparedTensor> = {
  kind: "compared_tensor",
  read: (query, signal) => post("/api/debugger/compare/tensor", query, signal),
  runs: runsOf,
  keepsValue: isSame,
};

/** All operators of a query, page by page. Raises ApiError. */
export async function readAllOperators(query: Omit<ComparedOperatorsQuery, "first" | "count">): Promise<ComparedOperators["operators"]> {
  const pages = await readPages((first, signal) => post("/api/debugger/compare/operators", { ...query, first, count: 500 }, signal));
  return pages.flatMap(({ operators }) => operators);
}
