// SPDX-License-Identifier: Apache-2.0
import { groupBy, type Groups } from "../arrays/groups";
import { IntList } from "../arrays/intList";
import type { Adjacency } from "./adjacency";
import { bridgeNodes, type Bridges } from "./bridges";
import { PART, ROLE, type GraphStructure } from "./structure";

/** How a parameter or constant appears: as a node, listed in its consumers, as a port of its consumers, or not at all. */
export type LeafDisplay = "node" | "consumer" | "port" | "hidden";

export interface FlowOptions {
  parameters: LeafDisplay;
  constants: LeafDisplay;
  /** Leaves out nodes that only pass a value on, and connects what they connect. */
  bridgePassThrough: boolean;
  hideGradient: boolean;
  hideOptimizer: boolean;
}

export const DEFAULT_FLOW_OPTIONS: FlowOptions = {
  parameters: "consumer",
  constants: "consumer",
  bridgePassThrough: true,
  hideGradient: false,
  hideOptimizer: false,
};

/** The part of a graph that a view draws: nodes, and the connections between them. */
export interface Flows {
  /** 1 for a node that is drawn as a node. */
  isDrawn: Uint8Array;
  source: Int32Array;
  target: Int32Array;
  isControl: Uint8Array;
  bytes: Float64Array;
  /** The edge of the graph that enters the target. */
  edge: Int32Array;
  /** Parameters and constants that a node lists, by node. */
  attached: Groups;
}

export function buildFlows(structure: GraphStructure, adjacency: Adjacency, options: FlowOptions): Flows {
  const isLeftOut = leftOutNodes(structure, options);
  const isCandidate = new Uint8Array(structure.scope.length);
  if (options.bridgePassThrough)
    for (let node = 0; node < isCandidate.length; node++)
      isCandidate[node] = structure.parts[node]! & PART.passThrough && !isLeftOut[node] ? 1 : 0;
  const bridges = bridgeNodes(structure, adjacency, isCandidate, isLeftOut);
  const isAttached = attachedNodes(structure, adjacency, options);
  const connections = connect(structure, bridges, isLeftOut, isAttached);
  const isDrawn = isLeftOut.map((left_out, node) => (left_out || bridges.isBridged[node] || isAttached[node] ? 0 : 1));
  return { isDrawn, ...connections };
}

function leftOutNodes({ parts }: GraphStructure, options: FlowOptions): Uint8Array {
  const hidden = (options.hideGradient ? PART.gradient : 0) | (options.hideOptimizer ? PART.optimizer : 0);
  return parts.map((bits) => (bits & hidden ? 1 : 0));
}

/** Parameters and constants that are no nodes of their own. One that something feeds, such as an updated weight, is a node. */
function attachedNodes({ role }: GraphStructure, { incoming }: Adjacency, options: FlowOptions): Uint8Array {
  const isAttached = new Uint8Array(role.length);
  for (let node = 0; node < role.length; node++) {
    const display = role[node] === ROLE.parameter ? options.parameters : role[node] === ROLE.constant ? options.constants : "node";
    if (display !== "node" && incoming.start[node] === incoming.start[node + 1]) isAttached[node] = 1;
  }
  return isAttached;
}

function connect(structure: GraphStructure, bridges: Bridges, isLeftOut: Uint8Array, isAttached: Uint8Array): Omit<Flows, "isDrawn"> {
  const entries = new IntList();
  const edges = new IntList();
  const leaves = new IntList();
  const consumers = new IntList();
  const add = (entry: number, edge: number): void => {
    if (isAttached[entry >> 1]) {
      leaves.push(entry >> 1);
      consumers.push(structure.target[edge]!);
    } else {
      entries.push(entry);
      edges.push(edge);
    }
  };
  const { source, target, is_control } = structure;
  for (let edge = 0; edge < source.length; edge++) {
    const feeder = source[edge]!;
    if (isLeftOut[feeder] || isLeftOut[target[edge]!] || bridges.isBridged[target[edge]!]) continue;
    const control = is_control[edge]!;
    if (!bridges.isBridged[feeder]) add(feeder * 2 + control, edge);
    else for (let slot = bridges.from[feeder]!; slot < bridges.to[feeder]!; slot++) add(bridges.sources[slot]! | control, edge);
  }
  const byConsumer = groupBy(consumers.toArray(), structure.scope.length);
  const attached = { start: byConsumer.start, members: byConsumer.members.map((index) => leaves.at(index)) };
  return { ...flowColumns(structure, entries.toArray(), edges.toArray()), attached };
}

function flowColumns({ target, bytes }: GraphStructure, entries: Int32Array, edge: Int32Array): Omit<Flows, "isDrawn" | "attached"> {
  const count = entries.length;
  const flows = {
    source: new Int32Array(count),
    target: new Int32Array(count),
    isControl: new Uint8Array(count),
    bytes: new Float64Array(count),
    edge,
  };
  for (let flow = 0; flow < count; flow++) {
    const source = entries[flow]! >> 1;
    const control = entries[flow]! & 1;
    const size = control ? 0 : bytes[source]!;
    flows.source[flow] = source;
    flows.target[flow] = target[edge[flow]!]!;
    flows.isControl[flow] = control;
    flows.bytes[flow] = Number.isNaN(size) ? 0 : size;
  }
  return flows;
}
