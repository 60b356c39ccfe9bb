// SPDX-License-Identifier: Apache-2.0
import type { Layering } from "./layering";

const LEAST = 0.02;
const SHARPNESS = 3;

/**
 * How much of the longest way of its block leads through a vertex, from near 0 to 1. Boxes on the main way stay on a straight line
 * while dead ends and constants give way.
 */
export function importances(layering: Layering, boxes: number): Float64Array {
  const { vertices, layers, layerColumn, columnBlock, layerOf, blockCount, up, down, chain } = layering;
  const above = new Float64Array(vertices);
  const below = new Float64Array(vertices);
  for (const vertex of layers.members)
    for (let slot = up.start[vertex]!; slot < up.start[vertex + 1]!; slot++) {
      const neighbor = chain[up.members[slot]!]!;
      above[vertex] = Math.max(above[vertex]!, above[neighbor]! + (neighbor < boxes ? 1 : 0));
    }
  for (let index = layers.members.length - 1; index >= 0; index--) {
    const vertex = layers.members[index]!;
    for (let slot = down.start[vertex]!; slot < down.start[vertex + 1]!; slot++) {
      const neighbor = chain[down.members[slot]! + 1]!;
      below[vertex] = Math.max(below[vertex]!, below[neighbor]! + (neighbor < boxes ? 1 : 0));
    }
  }
  const length = above.map((value, vertex) => value + below[vertex]! + 1);
  const longest = new Float64Array(blockCount).fill(1);
  const block = (vertex: number): number => columnBlock[layerColumn[layerOf[vertex]!]!]!;
  for (let vertex = 0; vertex < vertices; vertex++) longest[block(vertex)] = Math.max(longest[block(vertex)]!, length[vertex]!);
  return length.map((value, vertex) => Math.max(Math.pow(value / longest[block(vertex)]!, SHARPNESS), LEAST));
}
