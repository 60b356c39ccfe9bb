// SPDX-License-Identifier: Apache-2.0
import { membersOf } from "../arrays/groups";
import type { Adjacency } from "./adjacency";
import { isWeight } from "./parameterHomes";
import type { ScopeTree } from "./scopeTree";
import { PART } from "./structure";
import { bareName } from "./weightNames";

/** Nodes to look at for the weights of one node. */
const MOST_STEPS = 64;

/**
 * Whether a tag names a weight: a part of the tag between slashes is the name, or one of them is the other with the path of more
 * modules in front. `conv1.weight/auto` names `net.conv1.weight`; a part without a dot, such as `weight`, names nothing.
 */
export function namesWeight(tag: string, name: string): boolean {
  return tag
    .split("/")
    .flatMap((part) => [part, bareName(part)])
    .some(
      (part) => part.includes(".") && (part === name || name.endsWith(`.${part}`) || (name.includes(".") && part.endsWith(`.${name}`))),
    );
}

/** The weights of a box: the node itself, those that a node reads, also past nodes such as Load, those of a scope's operations. */
export function weightsOf({ structure, nodeAt, begin, end }: ScopeTree, { incoming }: Adjacency, item: number): number[] {
  const { source, parts } = structure;
  const found = new Set<number>();
  for (let position = begin[item]!; position < end[item]!; position++) {
    const readers = [nodeAt[position]!];
    const seen = new Set(readers);
    for (const reader of readers) {
      if (isWeight(structure, reader)) found.add(reader);
      for (const edge of membersOf(incoming, reader)) {
        const feeder = source[edge]!;
        const isNear = isWeight(structure, feeder) || (parts[feeder]! & PART.passThrough) !== 0;
        if (isNear && !seen.has(feeder) && readers.length < MOST_STEPS) readers.push(feeder);
        seen.add(feeder);
      }
    }
  }
  return [...found];
}

/** The weights that tags name, the nodes that read them, and the scopes around those. */
export function itemsOfTags({ structure, scopeCount, parent }: ScopeTree, tags: readonly string[]): Set<number> {
  const items = new Set<number>();
  if (tags.length === 0) return items;
  const { label, texts, source, target, role } = structure;
  const isNamed = Uint8Array.from(role, (_, node) =>
    isWeight(structure, node) && tags.some((tag) => namesWeight(tag, texts[label[node]!]!)) ? 1 : 0,
  );
  const add = (node: number): void => {
    for (let item = scopeCount + node; item > 0 && !items.has(item); item = parent[item]!) items.add(item);
  };
  for (let node = 0; node < isNamed.length; node++) if (isNamed[node]) add(node);
  for (let edge = 0; edge < source.length; edge++) if (isNamed[source[edge]!]) add(target[edge]!);
  return items;
}
