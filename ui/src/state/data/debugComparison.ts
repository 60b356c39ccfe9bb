// SPDX-License-Identifier: Apache-2.0
import {
  fetchComparedOperators,
  fetchComparedTensor,
  fetchDebugComparison,
  fetchUnmatchedOperators,
  type ComparedOperators,
  type ComparedOperatorsQuery,
  type ComparedTensor,
  type ComparedTensorQuery,
  type DebugComparison,
  type OfComparison,
  type UnmatchedOperators,
  type UnmatchedQuery,
} from "../../api/debugComparison";
import type { ResourceDefinition } from "../requests/resourceCache";
import { readPages, SEARCH_MS } from "./debugger";

export { putOperatorPair } from "../../api/debugComparison";
export type {
  ComparedOperator,
  ComparedOperatorsQuery,
  ComparedTensor,
  DebugComparison,
  DebugDifference,
  DifferenceWindow,
  ElementsDifference,
  OfComparison,
  OperatorPair,
} from "../../api/debugComparison";

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
  read: fetchDebugComparison,
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
  read: async ({ query }, signal) => ({ ...(await fetchComparedOperators(query, signal)), first: query.first ?? 0 }),
  runs: ({ query }) => runsOf(query),
  keepsValue: (previous, next) => isSame(previous.query, next.query),
};

export const unmatchedOperators: ResourceDefinition<Asked<UnmatchedQuery>, UnmatchedOperators> = {
  kind: "unmatched_operators",
  read: ({ query }, signal) => fetchUnmatchedOperators(query, signal),
  runs: ({ query }) => runsOf(query),
  keepsValue: (previous, next) => isSame(previous.query, next.query) && previous.query.side === next.query.side,
};

/** The last difference stays until the next one is there, as while a tolerance changes. */
export const comparedTensor: ResourceDefinition<ComparedTensorQuery, ComparedTensor> = {
  kind: "compared_tensor",
  read: fetchComparedTensor,
  runs: runsOf,
  keepsValue: isSame,
};

/** All operators of a query, page by page. Raises ApiError. */
export async function readAllOperators(query: Omit<ComparedOperatorsQuery, "first" | "count">): Promise<ComparedOperators["operators"]> {
  const pages = await readPages((first, signal) => fetchComparedOperators({ ...query, first, count: 500 }, signal));
  return pages.flatMap(({ operators }) => operators);
}
