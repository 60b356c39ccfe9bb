// SPDX-License-Identifier: Apache-2.0
import { DisjointSets } from "../arrays/disjointSets";
import { groupBy, groupValues, type Groups } from "../arrays/groups";
import { DRAWING, vertexCount, type LayoutInput } from "./layoutInput";
import type { Ranking } from "./ranks";

/** Blocks are the connected parts of a scope. All ports share block 0 when there are any. */
export interface Blocks {
  count: number;
  /** Layers of all blocks, one block after the other, each from the top; the members are vertices. */
  layers: Groups;
  layerOf: Int32Array;
  layerBlock: Int32Array;
}

export function buildBlocks(input: LayoutInput, ranking: Ranking): Blocks {
  const { block, count } = connectedBlocks(input, ranking);
  const rank = withPortsLast(input, ranking.rank, block, count);
  const byRank = groupBy(rank, rank.reduce((highest, value) => Math.max(highest, value), 0) + 1).members;
  const order = groupValues(
    groupBy(
      byRank.map((vertex) => block[vertex]!),
      count,
    ),
    byRank,
  ).members;
  const layerOf = new Int32Array(block.length);
  const layerBlocks: number[] = [];
  for (let index = 0; index < order.length; index++) {
    const vertex = order[index]!;
    const before = order[index - 1];
    if (before === undefined || block[before] !== block[vertex] || rank[before] !== rank[vertex]) layerBlocks.push(block[vertex]!);
    layerOf[vertex] = layerBlocks.length - 1;
  }
  return { count, layers: groupBy(layerOf, layerBlocks.length), layerOf, layerBlock: Int32Array.from(layerBlocks) };
}

/** Numbers the connected parts by their first vertex, ports before boxes. */
function connectedBlocks(input: LayoutInput, { drawing, upper, lower }: Ranking): { block: Int32Array; count: number } {
  const vertices = vertexCount(input);
  const parts = new DisjointSets(vertices);
  for (let port = input.boxes + 1; port < vertices; port++) parts.join(port, input.boxes);
  for (let edge = 0; edge < drawing.length; edge++) if (drawing[edge] === DRAWING.routed) parts.join(upper[edge]!, lower[edge]!);
  const number = new Int32Array(vertices).fill(-1);
  const block = new Int32Array(vertices);
  let count = 0;
  for (let index = 0; index < vertices; index++) {
    const vertex = (input.boxes + index) % vertices;
    const top = parts.find(vertex);
    if (number[top] === -1) number[top] = count++;
    block[vertex] = number[top]!;
  }
  return { block, count };
}

function withPortsLast(input: LayoutInput, rank: Int32Array, block: Int32Array, count: number): Int32Array {
  const last = new Int32Array(count);
  const firstOutPort = input.boxes + input.inPorts;
  for (let vertex = 0; vertex < firstOutPort; vertex++) last[block[vertex]!] = Math.max(last[block[vertex]!]!, rank[vertex]!);
  return rank.map((value, vertex) => (vertex < firstOutPort ? value : last[block[vertex]!]! + 1));
}
