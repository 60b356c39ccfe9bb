// SPDX-License-Identifier: Apache-2.0
import type { Adjacency } from "./adjacency";
import type { ScopeTree } from "./scopeTree";
import { PART, ROLE, SCOPE_KIND, type GraphStructure } from "./structure";
import { AmountSums } from "./totals";

/** Whether a node is a weight, and whether a training changes it. */
export const isWeight = ({ role }: GraphStructure, node: number): boolean => role[node] === ROLE.parameter;

export const isTrainable = ({ parts }: GraphStructure, weight: number): boolean => (parts[weight]! & PART.fixed) === 0;

/** The scope to which each weight belongs, and the operation that reads it first; -1 for other nodes, and without a reader. */
export interface WeightHomes {
  scope: Int32Array;
  reader: Int32Array;
}

/**
 * Weights are outside of all scopes, or those of a body directly in it: they belong to the first operation that reads them, besides the gradient and
 * the optimizer.
 */
export function weightHomes({ structure }: ScopeTree, { outgoing }: Adjacency): WeightHomes {
  const { scope, parts, shape, target, scope_kind } = structure;
  const home = new Int32Array(scope.length).fill(-1);
  const reader = new Int32Array(scope.length).fill(-1);
  for (let node = 0; node < scope.length; node++) {
    if (!isWeight(structure, node)) continue;
    home[node] = scope[node]!;
    const sources = [node];
    const seen = new Set(sources);
    let found = -1;
    for (const source of sources) {
      for (let slot = outgoing.start[source]!; slot < outgoing.start[source + 1]!; slot++) {
        const next = target[outgoing.members[slot]!]!;
        if (seen.has(next)) continue;
        seen.add(next);
        if (parts[next]! & PART.passThrough) {
          if (shape[next] === shape[node]) sources.push(next);
        } else if (found < 0 || isEarlier(structure, next, found)) found = next;
      }
    }
    reader[node] = found;
    if (found >= 0 && (scope[node] === 0 || scope_kind[scope[node]!]! >= SCOPE_KIND.body)) home[node] = scope[found]!;
  }
  return { scope: home, reader };
}

/** Elements of the weights of each scope, and of those that a node is or reads first. */
export function parameterSums(tree: ScopeTree, adjacency: Adjacency): AmountSums {
  const { structure, scopeCount, nodeCount } = tree;
  const { scope, reader } = weightHomes(tree, adjacency);
  const sums = new AmountSums(scopeCount + nodeCount);
  for (let node = 0; node < nodeCount; node++) {
    if (scope[node]! < 0) continue;
    const count = structure.parameter_count[node]!;
    sums.add(scopeCount + node, count);
    sums.add(scope[node]!, count);
    if (reader[node]! >= 0) sums.add(scopeCount + reader[node]!, count);
  }
  sums.addScopes(tree);
  return sums;
}

/** Operations of the forward part come first, then those that come first in the file. */
function isEarlier({ parts }: GraphStructure, a: number, b: number): boolean {
  const isBackward = (node: number): boolean => (parts[node]! & (PART.gradient | PART.optimizer)) !== 0;
  return isBackward(a) === isBackward(b) ? a < b : isBackward(b);
}
