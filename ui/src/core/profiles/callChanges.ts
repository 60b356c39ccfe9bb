// SPDX-License-Identifier: Apache-2.0
import type { Schemas } from "../messages/message";

/** A call of two profiles. Times of a step in nanoseconds; total times contain those of the calls within it. */
type Change = "parent" | "state" | "before_ns" | "after_ns" | "total_before_ns" | "total_after_ns";
export type CallChange = Pick<Schemas["CallRow"], Change>;

export interface VisibleCall {
  row: number;
  depth: number;
  hasInner: boolean;
  isOpen: boolean;
}

export const changeOf = ({ before_ns, after_ns }: CallChange): number => after_ns - before_ns;
export const totalChangeOf = ({ total_before_ns, total_after_ns }: CallChange): number => total_after_ns - total_before_ns;

/** Rows of the calls within each row, the greatest change first; those of -1 are the roots. */
export function innerCalls(calls: readonly CallChange[]): Map<number, number[]> {
  const found = new Map<number, number[]>();
  for (const [row, { parent }] of calls.entries()) {
    const siblings = found.get(parent);
    if (siblings) siblings.push(row);
    else found.set(parent, [row]);
  }
  for (const rows of found.values()) rows.sort((a, b) => Math.abs(totalChangeOf(calls[b]!)) - Math.abs(totalChangeOf(calls[a]!)) || a - b);
  return found;
}

/** Rows that pass and all around them. */
export function withCallers(calls: readonly CallChange[], passes: (row: number) => boolean): Set<number> {
  const kept = new Set<number>();
  for (let row = calls.length - 1; row >= 0; row--) {
    if (!kept.has(row) && !passes(row)) continue;
    kept.add(row);
    if (calls[row]!.parent >= 0) kept.add(calls[row]!.parent);
  }
  return kept;
}

/** What is open at first: calls whose inner ones changed by at least `least` nanoseconds, but only where that says more. */
export function openAtFirst(calls: readonly CallChange[], least: number): Set<number> {
  const open = new Set<number>();
  for (const call of calls) if (Math.abs(totalChangeOf(call)) >= least && call.parent >= 0) open.add(call.parent);
  return open;
}

export function visibleCalls(
  inner: ReadonlyMap<number, readonly number[]>,
  kept: ReadonlySet<number>,
  isOpen: (row: number) => boolean,
): VisibleCall[] {
  const found: VisibleCall[] = [];
  const pending = shown(-1).map((row) => ({ row, depth: 0 }));
  while (pending.length > 0) {
    const { row, depth } = pending.pop()!;
    const within = shown(row);
    const opened = within.length > 0 && isOpen(row);
    found.push({ row, depth, hasInner: within.length > 0, isOpen: opened });
    if (opened) pending.push(...within.map((each) => ({ row: each, depth: depth + 1 })));
  }
  return found;

  function shown(parent: number): number[] {
    return (inner.get(parent) ?? []).filter((row) => kept.has(row)).reverse();
  }
}
