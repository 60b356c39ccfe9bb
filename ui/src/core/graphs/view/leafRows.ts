// SPDX-License-Identifier: Apache-2.0
import { membersOf, sizeOf, type Groups } from "../arrays/groups";
import type { LeafDisplay } from "../model/flows";
import type { ScopeTree } from "../model/scopeTree";
import { ROLE } from "../model/structure";
import type { GraphOptions } from "./graphOptions";

/** The parameters and constants of a node that have a display. `attached` holds those that are no nodes of their own. */
export function leavesOf(
  { structure, scopeCount }: ScopeTree,
  attached: Groups,
  item: number,
  options: GraphOptions,
  display: LeafDisplay,
): number[] {
  const node = item - scopeCount;
  if (node < 0 || sizeOf(attached, node) === 0) return [];
  const leaves: number[] = [];
  for (const leaf of membersOf(attached, node))
    if ((structure.role[leaf] === ROLE.parameter ? options.parameters : options.constants) === display) leaves.push(leaf);
  return leaves;
}

/** Names and shapes of the parameters and constants that a box lists. */
export function leafRows(
  tree: ScopeTree,
  attached: Groups,
  item: number,
  options: GraphOptions,
  shapeWords = (shape: string): string => shape,
): string[] {
  const { label, shape, texts } = tree.structure;
  const leaves = leavesOf(tree, attached, item, options, "consumer").filter(
    (leaf) => tree.structure.role[leaf] !== ROLE.constant || (texts[shape[leaf]!] ?? "") !== "",
  );
  return leaves.map((leaf) =>
    `${lastPart(texts[label[leaf]!]!)} ${shapeWords(texts[shape[leaf]!] ?? "").replaceAll(" x ", "\u00d7")}`.trim(),
  );
}

/** A name of a parameter without the scopes that it has in itself, such as `weight` of `conv1.weight`. */
function lastPart(name: string): string {
  const own = name.slice(name.lastIndexOf("/") + 1);
  return own.slice(own.lastIndexOf(".") + 1) || own;
}
