// SPDX-License-Identifier: Apache-2.0
import type { ScopeTree } from "./scopeTree";
import { SCOPE_KIND } from "./structure";

/** Running sums of a column of nodes by position, with 0 in front; unknown values count as 0. */
export function runningSums(tree: ScopeTree, values: ArrayLike<number>): Float64Array {
  const sums = new Float64Array(tree.nodeCount + 1);
  for (let position = 0; position < tree.nodeCount; position++) {
    const value = values[tree.nodeAt[position]!]!;
    sums[position + 1] = sums[position]! + (Number.isNaN(value) ? 0 : value);
  }
  return sums;
}

/** Sums by item, in which an amount of 0 differs from an unknown one. */
export class AmountSums {
  readonly sum: Float64Array;
  /** Unknown amounts in each sum. */
  readonly unknown: Uint32Array;

  constructor(length: number) {
    this.sum = new Float64Array(length);
    this.unknown = new Uint32Array(length);
  }

  /** Add an amount to an item; NaN is unknown. */
  add(item: number, amount: number): void {
    if (Number.isNaN(amount)) this.unknown[item]!++;
    else this.sum[item]! += amount;
  }

  /** Add each scope to the scopes around it; a parent precedes its children. Of `branches` the largest counts, since one runs. */
  addScopes({ parent, scopeCount, structure }: ScopeTree, { branches = false } = {}): void {
    const largest = new Float64Array(scopeCount);
    for (let scope = scopeCount - 1; scope >= 0; scope--) {
      this.sum[scope]! += largest[scope]!;
      if (scope === 0) break;
      const above = parent[scope]!;
      if (branches && structure.scope_kind[scope] === SCOPE_KIND.branch) largest[above] = Math.max(largest[above]!, this.sum[scope]!);
      else this.sum[above]! += this.sum[scope]!;
      this.unknown[above]! += this.unknown[scope]!;
    }
  }

  /** The sums of what is known; NaN where that is nothing. */
  values(): Float64Array {
    return this.sum.map((sum, item) => (sum === 0 && this.unknown[item]! > 0 ? NaN : sum));
  }
}

/** Sum of all nodes below an item. */
export const totalBelow = (tree: ScopeTree, sums: Float64Array, item: number): number => sums[tree.end[item]!]! - sums[tree.begin[item]!]!;
