// SPDX-License-Identifier: Apache-2.0
import { membersOf } from "../../core/graphs/arrays/groups";
import { runningSums, totalBelow } from "../../core/graphs/model/totals";
import type { ScopeTree } from "../../core/graphs/model/scopeTree";

/** A first view has about this number of boxes. */
const MOST_BOXES = 32;

/** Scopes to open at first, outer ones before inner ones, as long as the boxes are few enough to read. */
export function firstScopes(tree: ScopeTree, isDrawn: Uint8Array): number[] {
  const sums = runningSums(tree, isDrawn);
  const childrenOf = (scope: number): number[] => [...membersOf(tree.children, scope)].filter((item) => totalBelow(tree, sums, item) > 0);
  const open: number[] = [];
  let waiting = childrenOf(0);
  let boxes = waiting.length;
  while (waiting.length > 0) {
    const next: number[] = [];
    for (const scope of waiting) {
      if (scope >= tree.scopeCount) continue;
      const children = childrenOf(scope);
      if (boxes + children.length > MOST_BOXES) continue;
      boxes += children.length;
      open.push(scope);
      next.push(...children);
    }
    waiting = next;
  }
  return open;
}
