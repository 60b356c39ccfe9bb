// SPDX-License-Identifier: Apache-2.0
import { renewedTable, type LineageAnswer, type LineageTable } from "../core/lineage/lineageTable";
import type { PipelineAlignment } from "../core/lineage/pipelineColumns";
import type { FurtherColumn } from "../core/tables/fileColumns";
import { ApiError, request } from "./client";
import { blob, json, type Json } from "./routes";

export type Importance = Json<"/api/lineage/importance", "post">;

/** Which scalars are columns: tags that match one of `scalars`. */
export interface ScalarColumns {
  scalars: readonly string[];
}

const MOST_ATTEMPTS = 20;

/**
 * Requests again what takes longer than one request may, such as the first table of many runs: the server keeps what it has read and
 * continues from there.
 */
async function continued<Body>(send: () => Promise<Body>): Promise<Body> {
  for (let attempt = 1; ; attempt++)
    try {
      return await send();
    } catch (error) {
      const isUnfinished = error instanceof ApiError && error.code === "answer_too_slow";
      if (!isUnfinished || attempt === MOST_ATTEMPTS) throw error;
    }
}

/** The table of all runs; only what is different from `known` is sent. */
export async function fetchLineage(query: ScalarColumns, signal: AbortSignal, known?: LineageTable): Promise<LineageTable> {
  const body = { ...query, since: known?.cursor ?? null };
  const answer = await continued(() => json<Json<"/api/lineage", "post">>(request("/api/lineage", { body, signal })));
  return renewedTable(known, answer as LineageAnswer);
}

export interface LineageCondition extends ScalarColumns {
  /** A condition such as `lr < 0.01`. */
  where: string;
}

/** The runs for which a condition is true. */
export async function fetchMatching(query: LineageCondition, signal: AbortSignal): Promise<ReadonlySet<string>> {
  const { runs } = await continued(() =>
    json<Json<"/api/lineage/filter", "post">>(request("/api/lineage/filter", { body: query, signal })),
  );
  return new Set(runs);
}

export interface ImportanceQuery extends ScalarColumns {
  target: string;
  /** Null for all runs. */
  runs: readonly string[] | null;
  /** Columns to analyze besides parameters, data, algorithm and model. */
  also: readonly string[];
}

/** The data pipelines of some runs, null for all, aligned operation by operation. */
export function fetchPipelines(runs: readonly string[] | null, signal: AbortSignal): Promise<PipelineAlignment> {
  return json(request("/api/lineage/pipelines", { body: { runs }, signal }));
}

export const LINEAGE_FORMATS = ["csv", "json", "parquet"] as const;
export type LineageFormat = (typeof LINEAGE_FORMATS)[number];

export interface LineageFile extends ScalarColumns {
  format: LineageFormat;
  /** In the order of the file. */
  runs: readonly string[];
  columns: readonly string[];
  /** Columns that the server does not know. */
  further: readonly FurtherColumn[];
}

/** The table as a file. */
export function fetchLineageFile(query: LineageFile): Promise<Blob> {
  return blob(request("/api/lineage/file", { body: query }));
}
