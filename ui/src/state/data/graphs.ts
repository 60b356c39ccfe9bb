// SPDX-License-Identifier: Apache-2.0
import { request } from "../../api/client";
import { decode, message } from "../../api/decode";
import { get, type Json } from "../../api/routes";
import { mergeGraphs, type GraphDiff, type MergedGraph } from "../../core/graphs/model/mergedGraph";
import type { NodeAttributes } from "../../core/graphs/model/search";
import type { GraphStructure } from "../../core/graphs/model/structure";
import type { Message } from "../../core/messages/message";
import { noRuns, type ResourceDefinition } from "../requests/resourceCache";

type GraphsAnswer = Json<"/api/graphs", "get">;
export type GraphEntry = GraphsAnswer["graphs"][number];
export type GraphNode = Json<"/api/graphs/node", "get">;
export type GraphSummary = Json<"/api/graphs/summary", "get">;
export type NodeEnd = GraphNode["inputs"][number];

/** One graph of a run; `version` changes with its content. */
export interface GraphKey {
  run: string;
  graph: string;
  version: string;
}

async function fetchStructure(key: GraphKey, signal: AbortSignal): Promise<ArrayBuffer> {
  return (await request("/api/graphs/structure", { query: key, signal })).arrayBuffer();
}

function fetchGraphDiff(before: GraphKey, after: GraphKey, signal: AbortSignal): Promise<Message<"DiffHeader">> {
  const query = { ...before, other_run: after.run, other_graph: after.graph, other_version: after.version };
  return message<"DiffHeader">(request("/api/graphs/diff", { query, signal }));
}

/** Bytes of the columns for each node with its edges. */
const NODE_BYTES = 80;

/** A graph: its bytes as they came, which a page and a worker read at the same time, or its columns. */
export type GraphSource = ArrayBuffer | GraphStructure;

export const structureOf = (source: GraphSource): GraphStructure =>
  source instanceof ArrayBuffer ? decode<"StructureHeader">(source) : source;

/** The graphs of a run with their sizes. */
export const graphList: ResourceDefinition<{ run: string }, readonly GraphEntry[]> = {
  kind: "graphs",
  read: async ({ run }, signal) => (await get("/api/graphs", { run }, signal)).graphs,
  runs: ({ run }) => [run],
  keepsValue: (previous, next) => previous.run === next.run,
};

/** The graph files of a run that are not read, such as one of gigabytes. */
export const graphProblems: ResourceDefinition<{ run: string }, GraphsAnswer["problems"]> = {
  kind: "graph files not read",
  read: async ({ run }, signal) => (await get("/api/graphs", { run }, signal)).problems,
  runs: ({ run }) => [run],
};

/** What a graph is in one line. */
export const graphSummary: ResourceDefinition<GraphKey, { key: GraphKey; summary: GraphSummary }> = {
  kind: "graph summary",
  read: async (key, signal) => {
    const { run, graph } = key;
    return { key, summary: await get("/api/graphs/summary", { run, graph }, signal) };
  },
  runs: noRuns,
};

/** The nodes, scopes and edges of a graph: what a version names never changes. */
export const graphStructure: ResourceDefinition<GraphKey, { key: GraphKey; source: ArrayBuffer }> = {
  kind: "graph structure",
  read: async (key, signal) => ({ key, source: await fetchStructure(key, signal) }),
  runs: noRuns,
  bytes: ({ source }) => source.byteLength,
  keepsValue: (previous, next) => previous.run === next.run && previous.graph === next.graph,
};

/** Two graphs as one, with what differs. */
export interface ComparedGraphs {
  before: GraphKey;
  after: GraphKey;
  diff: GraphDiff;
  merged: MergedGraph;
}

export const comparedGraphs: ResourceDefinition<{ before: GraphKey; after: GraphKey }, ComparedGraphs> = {
  kind: "graph difference",
  read: async ({ before, after }, signal) => {
    const [earlier, later, diff] = await Promise.all([
      fetchStructure(before, signal),
      fetchStructure(after, signal),
      fetchGraphDiff(before, after, signal),
    ]);
    return { before, after, diff, merged: mergeGraphs(structureOf(earlier), structureOf(later), diff) };
  },
  runs: noRuns,
  bytes: ({ merged }) => 2 * NODE_BYTES * merged.status.length,
  keepsValue: () => false,
};

/** How many nodes of two graphs differ, without the nodes. */
export const graphDifference: ResourceDefinition<{ before: GraphKey; after: GraphKey }, GraphDiff["counts"]> = {
  kind: "graph difference counts",
  read: async ({ before, after }, signal) => (await fetchGraphDiff(before, after, signal)).counts,
  runs: noRuns,
  keepsValue: () => false,
};

/** The attributes of all nodes of a graph, to search in. The worker keeps them. */
export const graphAttributes: ResourceDefinition<GraphKey, NodeAttributes & { is_cut: boolean }> = {
  kind: "graph attributes",
  read: (key, signal) => message<"AttributesHeader">(request("/api/graphs/attributes", { query: key, signal })),
  runs: noRuns,
};

/** What only the file has of a node: attributes, a value, all names at its ends. */
export const graphNode: ResourceDefinition<GraphKey & { node: number }, GraphNode> = {
  kind: "graph node",
  read: ({ run, graph, node }, signal) => get("/api/graphs/node", { run, graph, node }, signal),
  runs: noRuns,
  bytes: ({ attributes }) => 512 * (attributes.length + 1),
  keepsValue: () => false,
};
