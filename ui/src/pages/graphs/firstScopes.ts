// SPDX-License-Identifier: Apache-2.0
import { membersOf } from "../../core/graphs/arrays/groups";
import { runningSums, totalBelow } from "../../core/graphs/model/totals";
import type { ScopeTree } from "../../core/graphs/model/scopeTree";
import { PART } from "../../core/graphs/model/structure";

/** A first view has about this number of boxes. */
const MOST_BOXES = 32;

/** Scopes of one structure are one box from this number on. */
const LEAST_STACK = 3;

/**
 * Scopes to open at first, outer ones before inner ones, as long as the boxes are few enough to read. Of repeated scopes the first
 * one opens as the pattern; the backward pass and the optimizer stay closed.
 */
export function firstScopes(tree: ScopeTree, isDrawn: Uint8Array): number[] {
  const sums = runningSums(tree, isDrawn);
  const rest = runningSums(
    tree,
    isDrawn.map((drawn, node) => (drawn && tree.structure.parts[node]! & (PART.gradient | PART.optimizer) ? 1 : 0)),
  );
  const hasForward = totalBelow(tree, rest, 0) < totalBelow(tree, sums, 0);
  const opens = (scope: number): boolean => {
    const drawn = totalBelow(tree, sums, scope);
    return drawn > 1 && !(hasForward && totalBelow(tree, rest, scope) === drawn);
  };
  /** The boxes of a scope: of repeated scopes the first. */
  const boxesOf = (scope: number): number[] => {
    const drawn = [...membersOf(tree.children, scope)].filter((item) => totalBelow(tree, sums, item) > 0);
    const classes = new Map<number, number>();
    const classOf = (item: number): number => (item < tree.scopeCount ? tree.structure.scope_class[item]! : 0);
    for (const item of drawn) classes.set(classOf(item), (classes.get(classOf(item)) ?? 0) + 1);
    const seen = new Set<number>();
    return drawn.filter((item) => {
      const kind = classOf(item);
      if (kind === 0 || classes.get(kind)! < LEAST_STACK) return true;
      return !seen.has(kind) && seen.add(kind);
    });
  };
  const open: number[] = [];
  let waiting = boxesOf(0);
  let boxes = waiting.length;
  while (waiting.length > 0) {
    const next: number[] = [];
    for (const scope of waiting) {
      if (scope >= tree.scopeCount || !opens(scope)) continue;
      const children = boxesOf(scope);
      if (boxes + children.length > MOST_BOXES) continue;
      boxes += children.length;
      open.push(scope);
      next.push(...children);
    }
    waiting = next;
  }
  return open;
}
