// SPDX-License-Identifier: Apache-2.0
import { groupBy, groupValues, type Groups } from "../arrays/groups";
import { ROLE, type GraphStructure } from "./structure";

/**
 * Scopes and nodes as one tree of items: item `i` below `scopeCount` is scope `i`, the others are node `i - scopeCount`.
 * Nodes have positions, so that the nodes below an item are `begin[item]` to `end[item] - 1`.
 */
export interface ScopeTree {
  structure: GraphStructure;
  scopeCount: number;
  nodeCount: number;
  /** Scope of an item; -1 for the root. */
  parent: Int32Array;
  /** Items of a scope in execution order, which is the order of their first nodes in the file. */
  children: Groups;
  /** Index of an item among the children of its scope. */
  ordinal: Int32Array;
  begin: Int32Array;
  end: Int32Array;
  /** Node at a position. */
  nodeAt: Int32Array;
  /** Scopes above a scope. */
  depth: Int32Array;
  /** An ancestor of a scope, chosen so that a climb takes a logarithmic number of jumps (Myers 1983). */
  jump: Int32Array;
}

export function buildScopeTree(structure: GraphStructure): ScopeTree {
  const scopeCount = structure.scope_parent.length;
  const nodeCount = structure.scope.length;
  const parent = new Int32Array(scopeCount + nodeCount);
  parent.set(structure.scope_parent);
  parent.set(structure.scope, scopeCount);
  const children = childrenInOrder(parent, firstNodes(structure), scopeCount);
  const { begin, end } = positions(parent, children, scopeCount);
  const nodeAt = new Int32Array(nodeCount);
  for (let node = 0; node < nodeCount; node++) nodeAt[begin[scopeCount + node]!] = node;
  const ordinal = ordinals(children, parent.length);
  return { structure, scopeCount, nodeCount, parent, children, ordinal, begin, end, nodeAt, ...climbs(structure.scope_parent) };
}

/** Index of the first node below each item; the number of nodes for an empty scope. */
function firstNodes(structure: GraphStructure): Int32Array {
  const { scope, scope_parent } = structure;
  const scopeCount = scope_parent.length;
  const first = new Int32Array(scopeCount + scope.length).fill(scope.length);
  for (let node = scope.length - 1; node >= 0; node--) {
    first[scopeCount + node] = node;
    first[scope[node]!] = node;
  }
  for (let index = scopeCount - 1; index > 0; index--) {
    const above = scope_parent[index]!;
    first[above] = Math.min(first[above]!, first[index]!);
  }
  return first;
}

function childrenInOrder(parent: Int32Array, first: Int32Array, scopeCount: number): Groups {
  const inOrder = groupBy(first, first.length - scopeCount + 1).members;
  const parents = inOrder.map((item) => parent[item]!);
  return groupValues(groupBy(parents, scopeCount), inOrder);
}

function positions(parent: Int32Array, children: Groups, scopeCount: number): { begin: Int32Array; end: Int32Array } {
  const size = new Int32Array(parent.length).fill(1, scopeCount);
  for (let item = parent.length - 1; item > 0; item--) if (parent[item]! >= 0) size[parent[item]!]! += size[item]!;
  const begin = new Int32Array(parent.length);
  for (let scope = 0; scope < scopeCount; scope++) {
    let next = begin[scope]!;
    for (let slot = children.start[scope]!; slot < children.start[scope + 1]!; slot++) {
      const item = children.members[slot]!;
      begin[item] = next;
      next += size[item]!;
    }
  }
  return { begin, end: begin.map((position, item) => position + size[item]!) };
}

function ordinals(children: Groups, itemCount: number): Int32Array {
  const ordinal = new Int32Array(itemCount);
  for (let scope = 0; scope + 1 < children.start.length; scope++)
    for (let slot = children.start[scope]!; slot < children.start[scope + 1]!; slot++)
      ordinal[children.members[slot]!] = slot - children.start[scope]!;
  return ordinal;
}

function climbs(scope_parent: Int32Array): { depth: Int32Array; jump: Int32Array } {
  const depth = new Int32Array(scope_parent.length);
  const jump = new Int32Array(scope_parent.length);
  for (let scope = 1; scope < scope_parent.length; scope++) {
    const above = scope_parent[scope]!;
    const far = jump[above]!;
    depth[scope] = depth[above]! + 1;
    jump[scope] = depth[above]! - depth[far]! === depth[far]! - depth[jump[far]!]! ? jump[far]! : above;
  }
  return { depth, jump };
}

export const isScope = (tree: ScopeTree, item: number): boolean => item < tree.scopeCount;

export const positionOf = (tree: ScopeTree, node: number): number => tree.begin[tree.scopeCount + node]!;

const contains = (tree: ScopeTree, scope: number, position: number): boolean =>
  tree.begin[scope]! <= position && position < tree.end[scope]!;

/** The lowest scope that contains both nodes. */
export function commonScope(tree: ScopeTree, nodeA: number, nodeB: number): number {
  const position = positionOf(tree, nodeB);
  let scope = tree.structure.scope[nodeA]!;
  while (!contains(tree, scope, position)) {
    const far = tree.jump[scope]!;
    scope = contains(tree, far, position) ? tree.parent[scope]! : far;
  }
  return scope;
}

/** Index, among the children of a scope, of the child that contains a position of this scope. */
export function childAt(tree: ScopeTree, scope: number, position: number): number {
  const { start, members } = tree.children;
  let low = start[scope]!;
  let high = start[scope + 1]! - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (tree.begin[members[middle]!]! <= position) low = middle;
    else high = middle - 1;
  }
  return low - start[scope]!;
}

/** Name of an item without its scope. */
export function itemLabel(tree: ScopeTree, item: number): string {
  const { texts, label, scope_label } = tree.structure;
  return texts[item < tree.scopeCount ? scope_label[item]! : label[item - tree.scopeCount]!] ?? "";
}

/** Name of an item as in the code of the network: operations of PyTorch have no number. */
export function itemName(tree: ScopeTree, item: number): string {
  const { texts, scope_name, is_of_pytorch } = tree.structure;
  if (item < tree.scopeCount) return texts[scope_name[item]!] ?? "";
  const label = itemLabel(tree, item);
  return is_of_pytorch ? label.replace(/-op\d+$/, "") : label;
}

/** Class of the module of a scope; "" if unknown. */
export const moduleClass = (tree: ScopeTree, scope: number): string => tree.structure.texts[tree.structure.scope_type[scope]!] ?? "";

/** Names from the root to an item: `layers.0.attn` where the names of modules are known, else with `/`. */
export function itemPath(tree: ScopeTree, item: number): string {
  const steps = [...scopesAbove(tree, item).slice(1), item];
  const hasModules = tree.structure.scope_type.some((type) => tree.structure.texts[type] !== "");
  return steps.map((step) => itemName(tree, step)).join(hasModules ? "." : "/");
}

/** A scope without nodes: the scope around everything in MindSpore's files. */
export const isEmptyScope = (tree: ScopeTree, item: number): boolean => tree.begin[item] === tree.end[item];

/** The only operation that a scope draws, by scope; -1 for a scope with several or none. Its box is the operation itself. */
export function soleNodes(tree: ScopeTree, isDrawn: Uint8Array): Int32Array {
  const { scopeCount, nodeCount, nodeAt, begin, end } = tree;
  const next = new Int32Array(nodeCount + 1).fill(nodeCount); // position of the first drawn node from each position on
  for (let position = nodeCount - 1; position >= 0; position--)
    next[position] = isDrawn[nodeAt[position]!] ? position : next[position + 1]!;
  const sole = new Int32Array(scopeCount).fill(-1);
  for (let scope = 1; scope < scopeCount; scope++) {
    const position = next[begin[scope]!]!;
    if (position >= end[scope]! || next[position + 1]! < end[scope]!) continue;
    const node = nodeAt[position]!;
    if (tree.structure.role[node] === ROLE.operation) sole[scope] = node;
  }
  return sole;
}

/** Title of a box: the name of a module with its class, of one with a single operation with the names down to it. */
export function boxTitle(tree: ScopeTree, sole: Int32Array, item: number): string {
  const node = item < tree.scopeCount ? sole[item]! : -1;
  if (item >= tree.scopeCount) return itemName(tree, item);
  const inner = node < 0 ? item : tree.structure.scope[node]!;
  const names = [itemName(tree, inner)];
  for (let scope = inner; scope !== item;) names.unshift(itemName(tree, (scope = tree.parent[scope]!)));
  const type = moduleClass(tree, inner) || (node < 0 ? "" : tree.structure.texts[tree.structure.type[node]!]!);
  const name = names.join(".");
  return type === "" || type === name ? name : `${name}: ${type}`;
}

/** Scopes from the root down to the scope of an item, without the item. */
export function scopesAbove(tree: ScopeTree, item: number): number[] {
  const above: number[] = [];
  for (let scope = tree.parent[item]!; scope >= 0; scope = tree.parent[scope]!) above.push(scope);
  return above.reverse();
}
