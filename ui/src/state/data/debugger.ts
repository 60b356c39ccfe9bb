// SPDX-License-Identifier: Apache-2.0
import { ApiError, request, UNREACHABLE } from "../../api/client";
import { message } from "../../api/decode";
import { json, post, type Json } from "../../api/routes";
import type { Message, Schemas } from "../../core/messages/message";
import type { DebugSourceKey } from "../../core/view/debugView";
import { noRuns, type ResourceDefinition } from "../requests/resourceCache";

export type DebugSource = Schemas["DebugSourceEntry"];
export type DebugTensor = Schemas["DebugTensorEntry"];
export type DebugRowDetails = Json<"/api/debugger/row", "post">;
export type DebugFirstBadAnswer = Json<"/api/debugger/first_bad", "post">;
export type DebugFirstBad = Schemas["DebugFirstBad"];
export type DebugGrowth = Schemas["DebugGrowth"];
export type DebugOperator = Schemas["DebugOperatorEntry"];
export type DebugRow = Schemas["DebugRowEntry"];
export type DebugConditions = Json<"/api/debugger/conditions", "get">;
export type DebugCondition = Schemas["DebugConditionEntry"];
export type DebugParameter = Schemas["DebugParameterEntry"];
export type DebugWatchAnswer = Json<"/api/debugger/watchpoints", "post">;
export type DebugWatchpoint = Schemas["DebugWatchpointEntry"];
export type DebugHit = Schemas["DebugHitEntry"];
export type OfAllRanks = Schemas["OfAllRanks"];
export type OfSource = Schemas["OfSource"];
export type DebugRowsQuery = Schemas["DebugRowsQuery"];
type DebugHistoryQuery = Schemas["DebugHistoryQuery"];
export type FigureName = DebugHistoryQuery["figure"];

/** A page of the rows of a step; figures by name, NaN where one was not recorded. */
export type DebugRows = Message<"DebugRowsHeader">;
export type DebugHistory = Message<"DebugHistoryHeader">;
/** Cells column by column: the tensors of a step are neighbors. */
export type DebugHeat = Message<"DebugHeatHeader">;

/** Between two requests for further steps. */
export const SEARCH_MS = 50;

/** The tensors of a rank that pass the filter of the page. */
export type OfTensors = OfSource & Pick<DebugRowsQuery, "words" | "regex" | "module" | "phases" | "roles">;

/** Rows that begin with row `first` of those that match. */
export type DebugPage = DebugRows & { first: number };

function isSameTraining(previous: OfAllRanks, next: OfAllRanks): boolean {
  return previous.run === next.run && previous.source === next.source;
}

function isSameSource(previous: OfSource, next: OfSource): boolean {
  return isSameTraining(previous, next) && previous.rank === next.rank;
}

function runOf({ run }: OfAllRanks): readonly string[] {
  return [run];
}

export const debugSources: ResourceDefinition<{ runs: readonly string[] }, Json<"/api/debugger/sources", "post">> = {
  kind: "debug_sources",
  read: ({ runs }, signal) => post("/api/debugger/sources", { runs }, signal),
  runs: ({ runs }) => runs,
  bytes: ({ sources }) => 2000 * sources.length,
};

export const debugSteps: ResourceDefinition<OfSource, Json<"/api/debugger/steps", "post">> = {
  kind: "debug_steps",
  read: (query, signal) => post("/api/debugger/steps", query, signal),
  runs: runOf,
  bytes: ({ steps }) => 8 * steps.length,
  keepsValue: isSameSource,
};

function fetchRows(query: DebugRowsQuery, signal: AbortSignal): Promise<DebugRows> {
  return message<"DebugRowsHeader">(request("/api/debugger/rows", { body: query, signal }));
}

/** The last page stays until the next one is there. */
export const debugRows: ResourceDefinition<DebugRowsQuery, DebugPage> = {
  kind: "debug_rows",
  read: async (query, signal) => ({ ...(await fetchRows(query, signal)), first: query.first ?? 0 }),
  runs: runOf,
  bytes: ({ tensors, figures }) => tensors.length * (300 + 8 * Object.keys(figures).length),
  keepsValue: isSameSource,
};

export const debugRow: ResourceDefinition<Schemas["DebugRowQuery"], DebugRowDetails> = {
  kind: "debug_row",
  read: (query, signal) => post("/api/debugger/row", query, signal),
  runs: runOf,
  keepsValue: isSameSource,
};

export const debugHistory: ResourceDefinition<DebugHistoryQuery, DebugHistory> = {
  kind: "debug_history",
  pollMs: SEARCH_MS,
  read: (query, signal) => message<"DebugHistoryHeader">(request("/api/debugger/history", { body: query, signal })),
  runs: runOf,
  keepsValue: (previous, next) => isSameSource(previous, next) && previous.tensors.join() === next.tensors.join(),
};

export const debugHeat: ResourceDefinition<Schemas["DebugHeatQuery"], DebugHeat> = {
  kind: "debug_heat",
  pollMs: SEARCH_MS,
  read: (query, signal) => message<"DebugHeatHeader">(request("/api/debugger/heat", { body: query, signal })),
  runs: runOf,
  keepsValue: isSameSource,
};

/** Over all ranks. */
export const debugFirstBad: ResourceDefinition<OfAllRanks, DebugFirstBadAnswer> = {
  kind: "debug_first_bad",
  pollMs: SEARCH_MS,
  read: (query, signal) => post("/api/debugger/first_bad", query, signal),
  runs: runOf,
  keepsValue: isSameTraining,
};

/** Whether a source has a bad number, and where; null where the recording can't be read or is too large to be searched at once. */
export interface DebugVerdict {
  key: DebugSourceKey;
  answer: DebugFirstBadAnswer | null;
}

/** Tensors of all steps and ranks; more are searched only in the findings of a training. */
const MOST_SEARCHED = 5_000_000;

/** The verdicts of several sources, one after the other. */
export const debugVerdicts: ResourceDefinition<{ sources: readonly DebugSource[] }, readonly DebugVerdict[]> = {
  kind: "debug_verdicts",
  read: async ({ sources }, signal) => {
    const verdicts: DebugVerdict[] = [];
    for (const each of sources) verdicts.push(await verdictOf(each, signal));
    return verdicts;
  },
  runs: ({ sources }) => sources.map(({ run }) => run),
  bytes: (verdicts) => 20_000 * verdicts.length,
  keepsValue: () => true,
};

async function verdictOf(source: DebugSource, signal: AbortSignal): Promise<DebugVerdict> {
  const key = { run: source.run, source: source.source };
  const steps = source.ranks.reduce((sum, each) => sum + each.steps, 0);
  const rows = source.tensors * steps;
  if (rows > MOST_SEARCHED) return { key, answer: null };
  try {
    let answer = await debugFirstBad.read(key, signal, undefined);
    while (!answer.is_complete) answer = await debugFirstBad.read(key, signal, undefined);
    return { key, answer };
  } catch (error) {
    if (error instanceof ApiError && error.code !== UNREACHABLE) return { key, answer: null }; // the others keep their verdicts
    throw error;
  }
}

/** What watchpoints can be made of; it depends on no run. */
export const debugConditions: ResourceDefinition<Record<string, never>, DebugConditions> = {
  kind: "debug_conditions",
  read: (_, signal) => json(request("/api/debugger/conditions", { signal })),
  runs: noRuns,
  bytes: () => 10_000,
};

/** Over all ranks; the last hits stay until the next ones are there. */
export const debugWatch: ResourceDefinition<Schemas["DebugWatchQuery"], DebugWatchAnswer> = {
  kind: "debug_watch",
  pollMs: SEARCH_MS,
  read: (query, signal) => post("/api/debugger/watchpoints", query, signal),
  runs: runOf,
  bytes: ({ hits }) => 600 * hits.length + 40_000,
  keepsValue: isSameTraining,
};

/** The row that a tensor has in a step. Raises ApiError where it has none. */
export async function rowOfTensor(of: OfSource, step: number, tensor: number): Promise<number> {
  return (await post("/api/debugger/row", { ...of, step, tensor })).row.row;
}

/** The most rows of an answer. */
const MOST_ROWS = 500;

/** All rows of a query, page by page. Raises ApiError. */
export async function readAllRows(query: Omit<DebugRowsQuery, "first" | "count">): Promise<DebugRows[]> {
  return readPages((first, signal) => fetchRows({ ...query, first, count: MOST_ROWS }, signal));
}

/** Pages of `MOST_ROWS` until all that match are there. */
export async function readPages<Page extends { matching: number }>(
  read: (first: number, signal: AbortSignal) => Promise<Page>,
): Promise<Page[]> {
  const { signal } = new AbortController();
  const pages = [await read(0, signal)];
  for (let first = MOST_ROWS; first < pages[0]!.matching; first += MOST_ROWS) pages.push(await read(first, signal));
  return pages;
}
