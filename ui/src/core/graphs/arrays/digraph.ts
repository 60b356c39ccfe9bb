// SPDX-License-Identifier: Apache-2.0
import { groupBy, type Groups } from "./groups";
import { IntList } from "./intList";

/** Directed edges with their groups by either end. An edge that is not used is in no group. */
export interface Digraph {
  vertices: number;
  from: Int32Array;
  to: Int32Array;
  outgoing: Groups;
  incoming: Groups;
}

export function buildDigraph(vertices: number, from: Int32Array, to: Int32Array, isUsed: (edge: number) => boolean = () => true): Digraph {
  const keys = (ends: Int32Array): Int32Array => ends.map((end, edge) => (isUsed(edge) ? end : -1));
  return { vertices, from, to, outgoing: groupBy(keys(from), vertices), incoming: groupBy(keys(to), vertices) };
}

/** Marks the edges that lead back to a vertex on the way to them; without them the graph has no cycle. Depth first, by index. */
export function backEdges({ vertices, from, to, outgoing }: Digraph): Uint8Array {
  const isBack = new Uint8Array(from.length);
  const state = new Uint8Array(vertices); // 1 on the way, 2 done
  const next = outgoing.start.slice(0, vertices);
  const way = new IntList();
  for (let root = 0; root < vertices; root++) {
    if (state[root] !== 0) continue;
    state[root] = 1;
    way.push(root);
    while (way.length > 0) {
      const vertex = way.at(way.length - 1);
      if (next[vertex]! === outgoing.start[vertex + 1]!) {
        state[vertex] = 2;
        way.pop();
        continue;
      }
      const edge = outgoing.members[next[vertex]!++]!;
      const reached = to[edge]!;
      if (state[reached] === 1) isBack[edge] = 1;
      else if (state[reached] === 0) {
        state[reached] = 1;
        way.push(reached);
      }
    }
  }
  return isBack;
}

/** Vertices so that each follows its predecessors; those on a cycle are missing. */
export function topologicalOrder({ vertices, to, outgoing, incoming }: Digraph): Int32Array {
  const waiting = new Int32Array(vertices);
  const order = new IntList();
  for (let vertex = 0; vertex < vertices; vertex++) {
    waiting[vertex] = incoming.start[vertex + 1]! - incoming.start[vertex]!;
    if (waiting[vertex] === 0) order.push(vertex);
  }
  for (let next = 0; next < order.length; next++) {
    const vertex = order.at(next);
    for (let slot = outgoing.start[vertex]!; slot < outgoing.start[vertex + 1]!; slot++) {
      const reached = to[outgoing.members[slot]!]!;
      if (--waiting[reached]! === 0) order.push(reached);
    }
  }
  return order.toArray();
}

/** Strongly connected components, numbered so that an edge between two leads to a lower number (Tarjan 1972, without recursion). */
export function strongComponents({ vertices, to, outgoing }: Digraph): { component: Int32Array; count: number } {
  const component = new Int32Array(vertices).fill(-1);
  const index = new Int32Array(vertices);
  const low = new Int32Array(vertices);
  const next = outgoing.start.slice(0, vertices);
  const way = new IntList();
  const open = new IntList();
  let visited = 0;
  let count = 0;
  const enter = (vertex: number): void => {
    index[vertex] = low[vertex] = ++visited;
    way.push(vertex);
    open.push(vertex);
  };
  const leave = (vertex: number): void => {
    way.pop();
    if (way.length > 0) low[way.at(way.length - 1)] = Math.min(low[way.at(way.length - 1)]!, low[vertex]!);
    if (low[vertex] !== index[vertex]) return;
    let member: number;
    do {
      member = open.pop();
      component[member] = count;
    } while (member !== vertex);
    count++;
  };
  for (let root = 0; root < vertices; root++) {
    if (index[root] !== 0) continue;
    enter(root);
    while (way.length > 0) {
      const vertex = way.at(way.length - 1);
      if (next[vertex]! === outgoing.start[vertex + 1]!) {
        leave(vertex);
        continue;
      }
      const reached = to[outgoing.members[next[vertex]!++]!]!;
      if (index[reached] === 0) enter(reached);
      else if (component[reached] === -1) low[vertex] = Math.min(low[vertex]!, index[reached]!);
    }
  }
  return { component, count };
}
