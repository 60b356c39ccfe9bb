// SPDX-License-Identifier: Apache-2.0
import type { Adjacency } from "./adjacency";
import type { ScopeTree } from "./scopeTree";
import { PART, ROLE, type GraphStructure } from "./structure";

/** Nodes that only pass a value on, in a row, that are looked through for a shape. */
const MOST_STEPS = 16;

/**
 * The node whose output each scope gives, by scope; -1 without one. It is the last operation of the forward part below the scope
 * that one outside of it reads; without such, the last that none reads. Nodes in the file are in order of execution.
 */
export function scopeOutputs(tree: ScopeTree, adjacency: Adjacency): Int32Array {
  const { structure, scopeCount, nodeCount, parent } = tree;
  const [outputs, ends] = [new Int32Array(scopeCount).fill(-1), new Int32Array(scopeCount).fill(-1)];
  for (let node = 0; node < nodeCount; node++) {
    if (!isForward(structure, node)) continue;
    const readers = readersOf(structure, adjacency, node);
    for (let scope = parent[scopeCount + node]!; scope >= 0; scope = parent[scope]!) {
      if (readers.length === 0) ends[scope] = node;
      else if (readers.some((reader) => !isBelow(tree, reader, scope))) outputs[scope] = node;
      else break;
    }
  }
  return outputs.map((node, scope) => {
    const last = node < 0 ? ends[scope]! : node;
    return last < 0 ? last : shapedNode(structure, adjacency, last);
  });
}

/** Operations of MindSpore that record a value and give nothing. */
const SUMMARY = /^(Scalar|Image|Tensor|Histogram)Summary$/;

/** Whether an operation belongs to the forward part. */
function isForward({ role, parts, texts, type }: Pick<GraphStructure, "role" | "parts" | "texts" | "type">, node: number): boolean {
  return role[node] === ROLE.operation && (parts[node]! & (PART.gradient | PART.optimizer)) === 0 && !SUMMARY.test(texts[type[node]!]!);
}

/** Operations of the forward part that read a node. */
function readersOf({ target, is_control, ...structure }: GraphStructure, { outgoing }: Adjacency, node: number): number[] {
  const edges = [...outgoing.members.subarray(outgoing.start[node], outgoing.start[node + 1])];
  return edges.flatMap((edge) => (is_control[edge] || !isForward(structure, target[edge]!) ? [] : [target[edge]!]));
}

function isBelow({ begin, end, scopeCount }: ScopeTree, node: number, scope: number): boolean {
  const position = begin[scopeCount + node]!;
  return position >= begin[scope]! && position < end[scope]!;
}

/** A node without a shape that only passes values on, such as a tuple: its last input with a shape. */
function shapedNode(structure: GraphStructure, { incoming }: Adjacency, node: number): number {
  let shaped = node;
  for (let step = 0; step < MOST_STEPS; step++) {
    if (structure.texts[structure.shape[shaped]!] !== "" || !(structure.parts[shaped]! & PART.passThrough)) return shaped;
    const [start, stop] = [incoming.start[shaped]!, incoming.start[shaped + 1]!];
    if (start === stop) return node;
    shaped = structure.source[incoming.members[stop - 1]!]!;
  }
  return node;
}
