// SPDX-License-Identifier: Apache-2.0
import { ROLE } from "./structure";
import type { ScopeTree } from "./scopeTree";
import { runningSums, totalBelow } from "./totals";

/** Totals of rows: operations, elements of parameters, FLOPs, and bytes of outputs. */
export interface Totals {
  count: Float64Array;
  parameters: Float64Array;
  flops: Float64Array;
  bytes: Float64Array;
}

const isOperation = (role: number): boolean => role !== ROLE.parameter && role !== ROLE.constant;

/** Totals of everything below each scope. */
export function scopeTotals(tree: ScopeTree): Totals {
  const { role, parameterCount, flops, bytes } = tree.structure;
  const below = (values: ArrayLike<number>): Float64Array => {
    const sums = runningSums(tree, values);
    return Float64Array.from({ length: tree.scopeCount }, (_, scope) => totalBelow(tree, sums, scope));
  };
  const operations = role.map((value) => (isOperation(value) ? 1 : 0));
  return {
    count: below(operations),
    parameters: below(parameterCount),
    flops: below(flops),
    bytes: below(bytes.map((value, node) => (operations[node] ? value : 0))),
  };
}

/** Totals by type of everything below a scope; `type` holds text ids, the most frequent type first. */
export function typesBelow(tree: ScopeTree, scope: number): Totals & { type: Int32Array } {
  const { type, role, parameterCount, flops, bytes } = tree.structure;
  const rows = new Map<number, [count: number, parameters: number, flops: number, bytes: number]>();
  const known = (value: number): number => (Number.isNaN(value) ? 0 : value);
  for (let position = tree.begin[scope]!; position < tree.end[scope]!; position++) {
    const node = tree.nodeAt[position]!;
    const row = rows.get(type[node]!) ?? [0, 0, 0, 0];
    row[0]++;
    row[1] += known(parameterCount[node]!);
    row[2] += known(flops[node]!);
    row[3] += isOperation(role[node]!) ? known(bytes[node]!) : 0;
    rows.set(type[node]!, row);
  }
  const sorted = [...rows].sort(([, a], [, b]) => b[0] - a[0]);
  const column = (index: 0 | 1 | 2 | 3): Float64Array => Float64Array.from(sorted, ([, row]) => row[index]);
  return { type: Int32Array.from(sorted, ([id]) => id), count: column(0), parameters: column(1), flops: column(2), bytes: column(3) };
}
