// SPDX-License-Identifier: Apache-2.0
import { IntList } from "../arrays/intList";
import type { Adjacency } from "./adjacency";
import type { GraphStructure } from "./structure";

/** A bridge may add this many connections more than the edges that it replaces. */
const SPARE_CONNECTIONS = 16;

/** For each bridged node the nodes that feed it, past other bridged nodes. */
export interface Bridges {
  isBridged: Uint8Array;
  /** First and past-the-last entry of a bridged node. */
  from: Int32Array;
  to: Int32Array;
  /** Entries: twice the feeding node, plus 1 when the way contains a control edge. */
  sources: Int32Array;
}

/**
 * Looks through the candidates to what feeds them. A candidate stays a node when it has no input or no output, is part of a
 * cycle of candidates, or has inputs and outputs whose product is too large a number of edges.
 */
export function bridgeNodes(structure: GraphStructure, adjacency: Adjacency, isCandidate: Uint8Array, isLeftOut: Uint8Array): Bridges {
  const count = structure.scope.length;
  const bridges = { isBridged: new Uint8Array(count), from: new Int32Array(count), to: new Int32Array(count) };
  const sources = new IntList();
  const seenBy = new Int32Array(count * 2).fill(-1);
  const { start, members } = adjacency.incoming;
  for (const node of candidatesInOrder(structure, adjacency, isCandidate)) {
    const from = sources.length;
    for (let slot = start[node]!; slot < start[node + 1]!; slot++) {
      const feeder = structure.source[members[slot]!]!;
      const control = structure.is_control[members[slot]!]!;
      if (!isLeftOut[feeder]) appendFeeders(bridges, sources, seenBy, node, feeder, control);
    }
    const inputs = sources.length - from;
    const outputs = adjacency.outgoing.start[node + 1]! - adjacency.outgoing.start[node]!;
    if (inputs === 0 || outputs === 0 || inputs * outputs > 4 * (inputs + outputs) + SPARE_CONNECTIONS) {
      sources.length = from;
      continue;
    }
    bridges.isBridged[node] = 1;
    bridges.from[node] = from;
    bridges.to[node] = sources.length;
  }
  return { ...bridges, sources: sources.toArray() };
}

function appendFeeders(
  bridges: Omit<Bridges, "sources">,
  sources: IntList,
  seenBy: Int32Array,
  node: number,
  feeder: number,
  control: number,
): void {
  const append = (entry: number): void => {
    if (seenBy[entry] === node) return;
    seenBy[entry] = node;
    sources.push(entry);
  };
  if (!bridges.isBridged[feeder]) append(feeder * 2 + control);
  else for (let slot = bridges.from[feeder]!; slot < bridges.to[feeder]!; slot++) append(sources.at(slot) | control);
}

/** Candidates so that each follows the candidates that feed it; those on a cycle are missing. */
function candidatesInOrder({ source, target, scope }: GraphStructure, adjacency: Adjacency, isCandidate: Uint8Array): Int32Array {
  const waiting = new Int32Array(scope.length);
  for (let edge = 0; edge < source.length; edge++) if (isCandidate[source[edge]!] && isCandidate[target[edge]!]) waiting[target[edge]!]!++;
  const queue = new IntList();
  for (let node = 0; node < scope.length; node++) if (isCandidate[node] && waiting[node] === 0) queue.push(node);
  const { start, members } = adjacency.outgoing;
  for (let next = 0; next < queue.length; next++) {
    const node = queue.at(next);
    for (let slot = start[node]!; slot < start[node + 1]!; slot++) {
      const reader = target[members[slot]!]!;
      if (isCandidate[reader] && --waiting[reader]! === 0) queue.push(reader);
    }
  }
  return queue.toArray();
}
