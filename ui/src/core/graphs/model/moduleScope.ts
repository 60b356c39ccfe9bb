// SPDX-License-Identifier: Apache-2.0
import { itemLabel, scopesAbove, type ScopeTree } from "./scopeTree";

/**
 * The scope of a module, `encoder.layers.0`: one whose path ends in the same names, the highest of several; -1 without one. Scopes
 * may have more names in front, and several names in one label.
 */
export function scopeOfModule(tree: ScopeTree, module: string): number {
  const wanted = module.split(".");
  let found = -1;
  for (let scope = 1; scope < tree.scopeCount; scope++) {
    if (found >= 0 && tree.depth[scope]! >= tree.depth[found]!) continue;
    const path = [...scopesAbove(tree, scope), scope].filter((each) => each > 0).flatMap((each) => itemLabel(tree, each).split(/[./]/));
    const names = path.slice(-wanted.length);
    if (names.length === wanted.length && names.every((name, place) => isNamed(name, wanted[place]!))) found = scope;
  }
  return found;
}

function isNamed(label: string, name: string): boolean {
  return label === name || label.startsWith(`${name}-`);
}
