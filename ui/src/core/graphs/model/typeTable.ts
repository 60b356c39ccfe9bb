// SPDX-License-Identifier: Apache-2.0
import { ROLE } from "./structure";
import type { ScopeTree } from "./scopeTree";
import { AmountSums } from "./totals";

/** Totals of everything below each scope: operations, FLOPs, bytes of outputs; NaN where amounts are unknown and none is known. */
export interface Totals {
  count: Float64Array;
  flops: Float64Array;
  bytes: Float64Array;
  /** Scopes in which some amounts are unknown: the totals are at least those. */
  isPartial: Record<"flops" | "bytes", Uint8Array>;
}

export function scopeTotals(tree: ScopeTree): Totals {
  const { role, scope, flops, bytes } = tree.structure;
  const sumsOf = (amount: (node: number) => number, branches: boolean): AmountSums => {
    const sums = new AmountSums(tree.scopeCount);
    for (let node = 0; node < tree.nodeCount; node++) if (role[node] === ROLE.operation) sums.add(scope[node]!, amount(node));
    sums.addScopes(tree, { branches });
    return sums;
  };
  const flopSums = sumsOf((node) => flops[node]!, true);
  const byteSums = sumsOf((node) => bytes[node]!, true);
  const isPartial = ({ unknown }: AmountSums): Uint8Array => Uint8Array.from(unknown, (value) => (value > 0 ? 1 : 0));
  return {
    count: sumsOf(() => 1, false).sum,
    flops: flopSums.values(),
    bytes: byteSums.values(),
    isPartial: { flops: isPartial(flopSums), bytes: isPartial(byteSums) },
  };
}

/** Types of everything below a scope, as text ids, the most frequent first. */
export function typesBelow(tree: ScopeTree, scope: number): { type: Int32Array; count: Float64Array } {
  const { type } = tree.structure;
  const counts = new Map<number, number>();
  for (let position = tree.begin[scope]!; position < tree.end[scope]!; position++) {
    const node = tree.nodeAt[position]!;
    counts.set(type[node]!, (counts.get(type[node]!) ?? 0) + 1);
  }
  const sorted = [...counts].sort(([, a], [, b]) => b - a);
  return { type: Int32Array.from(sorted, ([id]) => id), count: Float64Array.from(sorted, ([, count]) => count) };
}
