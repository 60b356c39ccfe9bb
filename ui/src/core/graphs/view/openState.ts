// SPDX-License-Identifier: Apache-2.0
import type { ScopeTree } from "../model/scopeTree";
import type { OpenState } from "./graphPicture";

/** Opens scopes besides those that are open. */
export const openScopes = ({ open, unfolded }: OpenState, scopes: Iterable<number>): OpenState => ({
  open: new Set([...open, ...scopes]),
  unfolded,
});

/** Closes a scope. What is open inside of it is open again when it opens. */
export const closeScope = ({ open, unfolded }: OpenState, scope: number): OpenState => ({
  open: new Set([...open].filter((other) => other !== scope)),
  unfolded,
});

/** Shows the members of a stack, or folds them; a stack is named by its first member. */
export function toggleStack({ open, unfolded }: OpenState, stack: number): OpenState {
  const next = new Set(unfolded);
  if (!next.delete(stack)) next.add(stack);
  return { open, unfolded: next };
}

/** All scopes with the structure of a scope. */
export function scopesAlike({ structure: { scope_class } }: ScopeTree, scope: number): number[] {
  if (scope_class[scope] === 0) return [scope];
  return [...scope_class.keys()].filter((other) => scope_class[other] === scope_class[scope]);
}

/** All scopes with fewer than `depth` scopes above them, besides the root. */
export const scopesToDepth = ({ depth }: ScopeTree, most: number): number[] =>
  [...depth.keys()].filter((scope) => scope > 0 && depth[scope]! <= most);
