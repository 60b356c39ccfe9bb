// SPDX-License-Identifier: Apache-2.0
import { link, request } from "../../api/client";
import { message } from "../../api/decode";
import { get, post, type Json } from "../../api/routes";
import type { Message } from "../../core/messages/message";
import { noRuns, type ResourceDefinition } from "../requests/resourceCache";

export type EmbeddingList = Json<"/api/embeddings", "post">;
export type EmbeddingEntry = EmbeddingList["embeddings"][number];
export type EmbeddingPoints = Message<"EmbeddingHeader">;
export type EmbeddingFacts = NonNullable<EmbeddingPoints["facts"]>;
export type EmbeddingGraph = Message<"EmbeddingGraphHeader">;
export type PointNeighbors = Json<"/api/embeddings/neighbors", "get">;

/** One embedding; `version` changes with its files. */
export interface EmbeddingKey {
  run: string;
  name: string;
  version: string;
}

const POLL_MS = 400;

const ofSameTag = (one: EmbeddingKey, other: EmbeddingKey): boolean => one.run === other.run && one.name === other.name;

export const embeddingList: ResourceDefinition<{ runs: readonly string[] }, EmbeddingList> = {
  kind: "embeddings",
  read: ({ runs }, signal) =>
    runs.length > 0 ? post("/api/embeddings", { runs }, signal) : Promise.resolve({ embeddings: [], unlisted: [] }),
  runs: ({ runs }) => runs,
};

export const embeddingPoints: ResourceDefinition<EmbeddingKey, EmbeddingPoints> = {
  kind: "embedding_points",
  read: (query, signal) => message<"EmbeddingHeader">(request("/api/embeddings/points", { query, signal })),
  runs: noRuns,
  bytes: ({ rows }) => 44 * rows.length,
  keepsValue: ofSameTag,
  pollMs: POLL_MS,
};

export const embeddingColumn: ResourceDefinition<EmbeddingKey & { column: string }, Message<"EmbeddingMetadataHeader">> = {
  kind: "embedding_column",
  read: (query, signal) => message<"EmbeddingMetadataHeader">(request("/api/embeddings/metadata", { query, signal })),
  runs: noRuns,
  bytes: ({ codes, texts }) => 12 * codes.length + 60 * texts.length,
  keepsValue: () => false,
};

export const embeddingGraph: ResourceDefinition<EmbeddingKey & { count: number }, EmbeddingGraph> = {
  kind: "embedding_graph",
  read: (query, signal) => message<"EmbeddingGraphHeader">(request("/api/embeddings/graph", { query, signal })),
  runs: noRuns,
  bytes: ({ neighbors }) => 8 * neighbors.length,
  keepsValue: () => false,
  pollMs: POLL_MS,
};

export const pointNeighbors: ResourceDefinition<
  EmbeddingKey & { point: number; metric: "cosine" | "euclidean"; count: number },
  PointNeighbors
> = {
  kind: "embedding_neighbors",
  read: (query, signal) => get("/api/embeddings/neighbors", query, signal),
  runs: noRuns,
  bytes: ({ points }) => 16 * points.length,
  keepsValue: () => false,
};

export function spriteAddress({ run, name, version }: EmbeddingKey): string {
  return link("/api/embeddings/sprite", { run, name, version });
}
