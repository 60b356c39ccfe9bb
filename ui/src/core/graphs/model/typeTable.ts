// SPDX-License-Identifier: Apache-2.0
import { ROLE } from "./structure";
import type { ScopeTree } from "./scopeTree";
import { runningSums, totalBelow } from "./totals";

/** Totals of everything below each scope: operations, FLOPs, bytes of outputs; NaN where amounts are unknown and none is known. */
export interface Totals {
  count: Float64Array;
  flops: Float64Array;
  bytes: Float64Array;
  /** Scopes in which some amounts are unknown: the totals are at least those. */
  isPartial: Record<"flops" | "bytes", Uint8Array>;
}

const isOperation = (role: number): boolean => role === ROLE.operation;

export function scopeTotals(tree: ScopeTree): Totals {
  const { role, flops, bytes } = tree.structure;
  const below = (values: ArrayLike<number>): Float64Array => {
    const sums = runningSums(tree, values);
    return Float64Array.from({ length: tree.scopeCount }, (_, scope) => totalBelow(tree, sums, scope));
  };
  const operations = role.map((value) => (isOperation(value) ? 1 : 0));
  const amounts = [flops, bytes].map((values) => {
    const total = below(values.map((value, node) => (operations[node] ? value : 0)));
    const unknown = below(values.map((value, node) => (operations[node] && Number.isNaN(value) ? 1 : 0)));
    return {
      total: total.map((value, scope) => (value === 0 && unknown[scope]! > 0 ? NaN : value)),
      isPartial: Uint8Array.from(unknown, (value) => (value > 0 ? 1 : 0)),
    };
  });
  return {
    count: below(operations),
    flops: amounts[0]!.total,
    bytes: amounts[1]!.total,
    isPartial: { flops: amounts[0]!.isPartial, bytes: amounts[1]!.isPartial },
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
