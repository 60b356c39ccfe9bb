// SPDX-License-Identifier: Apache-2.0
import type { Message } from "../core/messages/message";
import { request } from "./client";
import { message } from "./decode";
import { json, type Json } from "./routes";

export type GraphEntry = Json<"/api/graphs", "get">["graphs"][number];
export type GraphProblem = Json<"/api/graphs", "get">["problems"][number];
export type GraphNode = Json<"/api/graphs/node", "get">;
export type GraphSummary = Json<"/api/graphs/summary", "get">;
export type NodeEnd = GraphNode["inputs"][number];

/** One graph of a run; `version` changes with its content. */
export interface GraphKey {
  run: string;
  graph: string;
  version: string;
}

export async function fetchGraphs(run: string, signal: AbortSignal): Promise<readonly GraphEntry[]> {
  return (await listGraphs(run, signal)).graphs;
}

/** The graph files of a run that are not read. */
export async function fetchGraphProblems(run: string, signal: AbortSignal): Promise<readonly GraphProblem[]> {
  return (await listGraphs(run, signal)).problems;
}

function listGraphs(run: string, signal: AbortSignal): Promise<Json<"/api/graphs", "get">> {
  return json(request(`/api/graphs?${new URLSearchParams({ run })}`, { signal }));
}

/** Parameters, FLOPs, shapes at both ends and blocks of a graph. */
export function fetchSummary({ run, graph }: GraphKey, signal: AbortSignal): Promise<GraphSummary> {
  return json(request(`/api/graphs/summary?${new URLSearchParams({ run, graph })}`, { signal }));
}

/** The structure of a graph as the server sends it, for `decode`. */
export async function fetchStructure(key: GraphKey, signal: AbortSignal): Promise<ArrayBuffer> {
  const response = await request(`/api/graphs/structure?${new URLSearchParams({ ...key })}`, { signal });
  return response.arrayBuffer();
}

/** The attributes of all nodes; `is_cut` if there are more. */
export function fetchAttributes(key: GraphKey, signal: AbortSignal): Promise<Message<"AttributesHeader">> {
  return message<"AttributesHeader">(request(`/api/graphs/attributes?${new URLSearchParams({ ...key })}`, { signal }));
}

/** What differs from one graph to another. */
export function fetchGraphDiff(before: GraphKey, after: GraphKey, signal: AbortSignal): Promise<Message<"DiffHeader">> {
  const query = new URLSearchParams({
    ...before,
    other_run: after.run,
    other_graph: after.graph,
    other_version: after.version,
  });
  return message<"DiffHeader">(request(`/api/graphs/diff?${query}`, { signal }));
}

export function fetchGraphNode({ run, graph }: GraphKey, node: number, signal: AbortSignal): Promise<GraphNode> {
  return json(request(`/api/graphs/node?${new URLSearchParams({ run, graph, node: String(node) })}`, { signal }));
}
