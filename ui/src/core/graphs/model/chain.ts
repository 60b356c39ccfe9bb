// SPDX-License-Identifier: Apache-2.0
import { membersOf } from "../arrays/groups";
import { IntList } from "../arrays/intList";
import type { Adjacency } from "./adjacency";
import type { ScopeTree } from "./scopeTree";

/**
 * Marks the nodes of a chain of items, and the shortest ways between each two that follow one another. Of nested items only the
 * innermost ones count: a module around an operator of the chain says nothing more.
 */
export function chainNodes(tree: ScopeTree, adjacency: Adjacency, items: readonly number[]): Uint8Array {
  const isMarked = new Uint8Array(tree.nodeCount);
  const inner = items.filter((item) => !items.some((other) => other !== item && isWithin(tree, other, item)));
  const nodes = inner.map((item) => tree.nodeAt.subarray(tree.begin[item], tree.end[item]));
  for (const each of nodes) for (const node of each) isMarked[node] = 1;
  for (let place = 1; place < nodes.length; place++) {
    const [before, after] = [nodes[place - 1]!, nodes[place]!];
    const way = shortestWay(tree, adjacency, before, after) ?? shortestWay(tree, adjacency, after, before) ?? [];
    for (const node of way) isMarked[node] = 1;
  }
  return isMarked;
}

const isWithin = ({ begin, end }: ScopeTree, item: number, scope: number): boolean =>
  begin[scope]! <= begin[item]! && end[item]! <= end[scope]! && end[scope]! - begin[scope]! > end[item]! - begin[item]!;

/** The nodes between two sets of nodes; null where no way leads from one to the other. */
function shortestWay(tree: ScopeTree, adjacency: Adjacency, from: Int32Array, to: Int32Array): number[] | null {
  const { target } = tree.structure;
  const isEnd = new Set(to);
  const before = new Map<number, number>();
  const queue = new IntList();
  for (const node of from) {
    before.set(node, -1);
    queue.push(node);
  }
  for (let next = 0; next < queue.length; next++) {
    const node = queue.at(next);
    for (const edge of membersOf(adjacency.outgoing, node)) {
      const reached = target[edge]!;
      if (before.has(reached)) continue;
      before.set(reached, node);
      if (isEnd.has(reached)) return wayBack(before, reached);
      queue.push(reached);
    }
  }
  return null;
}

function wayBack(before: ReadonlyMap<number, number>, end: number): number[] {
  const way: number[] = [];
  for (let node = end; node >= 0; node = before.get(node)!) way.push(node);
  return way;
}
