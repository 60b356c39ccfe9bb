// SPDX-License-Identifier: Apache-2.0
import { buildDigraph, strongComponents } from "../arrays/digraph";
import { groupBy, membersOf } from "../arrays/groups";
import { IntList } from "../arrays/intList";
import type { Adjacency } from "./adjacency";
import type { GraphStructure } from "./structure";

/** Marks the nodes that edges lead to from a node, or that lead to it, with the node itself. */
export function reachableNodes(structure: GraphStructure, adjacency: Adjacency, start: number, direction: "from" | "to"): Uint8Array {
  const { start: first, members } = direction === "from" ? adjacency.outgoing : adjacency.incoming;
  const ends = direction === "from" ? structure.target : structure.source;
  const isReached = new Uint8Array(structure.scope.length);
  const queue = new IntList();
  const reach = (node: number): void => {
    if (isReached[node]) return;
    isReached[node] = 1;
    queue.push(node);
  };
  reach(start);
  for (let next = 0; next < queue.length; next++)
    for (let slot = first[queue.at(next)]!; slot < first[queue.at(next) + 1]!; slot++) reach(ends[members[slot]!]!);
  return isReached;
}

/** Marks the nodes on all ways from one node to another; none when no way exists. */
export function nodesBetween(structure: GraphStructure, adjacency: Adjacency, from: number, to: number): Uint8Array {
  const forward = reachableNodes(structure, adjacency, from, "from");
  const backward = reachableNodes(structure, adjacency, to, "to");
  return forward.map((reached, node) => reached & backward[node]!);
}

/** Marks the connections whose ends are both marked: edges of the graph, or flows of a view. */
export function markedConnections({ source, target }: { source: Int32Array; target: Int32Array }, isMarked: Uint8Array): Uint8Array {
  return Uint8Array.from(source, (node, index) => isMarked[node]! & isMarked[target[index]!]!);
}

export interface CriticalPath {
  /** Nodes in order; the nodes of a cycle follow one another. */
  nodes: Int32Array;
  total: number;
}

/** The way with the largest sum of weights, such as FLOPs or bytes; unknown weights count as 0, a cycle counts as one node. */
export function criticalPath({ source, target, scope }: GraphStructure, weights: Float64Array): CriticalPath {
  const graph = buildDigraph(scope.length, source, target);
  const { component, count } = strongComponents(graph);
  const members = groupBy(component, count);
  const best = new Float64Array(count);
  const next = new Int32Array(count).fill(-1);
  let start = -1;
  for (let index = 0; index < count; index++) {
    let own = 0;
    for (const node of membersOf(members, index)) {
      own += Number.isNaN(weights[node]!) ? 0 : weights[node]!;
      for (const edge of membersOf(graph.outgoing, node)) {
        const reached = component[target[edge]!]!;
        if (reached !== index && (next[index] === -1 || best[reached]! > best[next[index]!]!)) next[index] = reached;
      }
    }
    best[index] = own + (next[index] === -1 ? 0 : best[next[index]!]!);
    if (start === -1 || best[index]! > best[start]!) start = index;
  }
  const nodes = new IntList();
  for (let index = start; index !== -1; index = next[index]!) for (const node of membersOf(members, index)) nodes.push(node);
  return { nodes: nodes.toArray(), total: start === -1 ? 0 : best[start]! };
}
