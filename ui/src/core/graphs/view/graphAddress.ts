// SPDX-License-Identifier: Apache-2.0
import { membersOf } from "../arrays/groups";
import { itemLabel, scopesAbove, type ScopeTree } from "../model/scopeTree";

/**
 * Scopes and items as text for the address. Scopes are a tree of names: `model(layers(0,1),head)`. A `'` marks a name that only
 * leads to others. `*2` marks the third child of the same name; special characters are escaped.
 */
const ESCAPES: Readonly<Record<string, string>> = { "~": "~t", "(": "~o", ")": "~c", ",": "~s", "*": "~a", "'": "~q", "/": "~l" };
const NO_NAME = "~e";
/** The scope around everything in MindSpore's files, which holds no more than what follows the forward part. */
const ROOT = "Default";
const UNESCAPES: Readonly<Record<string, string>> = Object.fromEntries(Object.entries(ESCAPES).map(([plain, escaped]) => [escaped, plain]));

const escapeName = (name: string): string => name.replace(/[~(),*'/]/g, (letter) => ESCAPES[letter]!) || NO_NAME;
const unescapeName = (text: string): string => (text === NO_NAME ? "" : text.replace(/~./g, (escape) => UNESCAPES[escape] ?? escape));

export function writeScopes(tree: ScopeTree, scopes: ReadonlySet<number>): string {
  const childrenOf = new Map<number, number[]>();
  const seen = new Set<number>();
  for (const scope of [...scopes].sort((a, b) => a - b))
    for (let below = scope; below > 0 && !seen.has(below); below = tree.parent[below]!) {
      seen.add(below);
      const siblings = childrenOf.get(tree.parent[below]!);
      if (siblings) siblings.push(below);
      else childrenOf.set(tree.parent[below]!, [below]);
    }
  let text = "";
  const rest: (number | string)[] = [...(childrenOf.get(0) ?? [])].reverse();
  while (rest.length > 0) {
    const next = rest.pop()!;
    if (typeof next === "string") {
      text += next;
      continue;
    }
    text += `${text === "" || text.endsWith("(") ? "" : ","}${childName(tree, next)}${scopes.has(next) ? "" : "'"}`;
    const children = childrenOf.get(next);
    if (!children) continue;
    text += "(";
    rest.push(")", ...[...children].reverse());
  }
  return text;
}

/** The scopes of a text. Names that the graph does not have, and what is inside of them, are left out. */
export function readScopes(tree: ScopeTree, text: string): Set<number> {
  const scopes = new Set<number>();
  const above: number[] = [];
  let parent = 0;
  let last = -1;
  for (const [token] of text.matchAll(/[(),]|[^(),]+/g)) {
    if (token === "(") {
      above.push(parent);
      parent = last;
    } else if (token === ")") parent = above.pop() ?? 0;
    else if (token !== ",") {
      last = parent < 0 ? -1 : findChild(tree, parent, token.replace(/'$/, ""), true);
      if (last > 0 && !token.endsWith("'")) scopes.add(last);
    }
  }
  return scopes;
}

/** An item as names from the root, with `/` between them. */
export const writeItem = (tree: ScopeTree, item: number): string =>
  [...scopesAbove(tree, item).slice(1), item].map((step) => childName(tree, step)).join("/");

/** The item of a text; -1 when the graph does not have it. */
export function readItem(tree: ScopeTree, text: string): number {
  let item = 0;
  for (const name of text.split("/")) {
    item = item >= 0 && item < tree.scopeCount ? findChild(tree, item, name, false) : -1;
    if (item < 0) return -1;
  }
  return item;
}

/** Name of an item among its siblings. */
function childName(tree: ScopeTree, item: number): string {
  const label = itemLabel(tree, item);
  let twins = 0;
  for (const sibling of membersOf(tree.children, tree.parent[item]!)) {
    if (sibling === item) break;
    if (itemLabel(tree, sibling) === label) twins++;
  }
  return escapeName(label) + (twins > 0 ? `*${twins}` : "");
}

/** The child of a scope with a name. Older addresses have all of the forward part in `Default`, and the rest beside it. */
function findChild(tree: ScopeTree, scope: number, name: string, isScope: boolean): number {
  const found = childOf(tree, scope, name, isScope);
  if (found >= 0 || tree.depth[scope]! > 1) return found;
  const around = scope === 0 ? childOf(tree, 0, ROOT, true) : itemLabel(tree, scope) === ROOT ? 0 : -1;
  return around < 0 ? -1 : name === ROOT ? around : childOf(tree, around, name, isScope);
}

function childOf(tree: ScopeTree, scope: number, name: string, isScope: boolean): number {
  const [escaped = "", twin = "0"] = name.split("*");
  const label = unescapeName(escaped);
  let twins = Number(twin);
  for (const child of membersOf(tree.children, scope))
    if (itemLabel(tree, child) === label && twins-- === 0) return isScope && child >= tree.scopeCount ? -1 : child;
  return -1;
}
