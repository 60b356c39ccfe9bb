// SPDX-License-Identifier: Apache-2.0
import type { ScopeTree } from "./scopeTree";

/** Running sums of a column of nodes by position, with 0 in front; unknown values count as 0. */
export function runningSums(tree: ScopeTree, values: ArrayLike<number>): Float64Array {
  const sums = new Float64Array(tree.nodeCount + 1);
  for (let position = 0; position < tree.nodeCount; position++) {
    const value = values[tree.nodeAt[position]!]!;
    sums[position + 1] = sums[position]! + (Number.isNaN(value) ? 0 : value);
  }
  return sums;
}

/** Sum of all nodes below an item. */
export const totalBelow = (tree: ScopeTree, sums: Float64Array, item: number): number => sums[tree.end[item]!]! - sums[tree.begin[item]!]!;
