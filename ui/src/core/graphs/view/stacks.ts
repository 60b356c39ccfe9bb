// SPDX-License-Identifier: Apache-2.0
import { groupBy, membersOf } from "../arrays/groups";
import { buildDigraph, strongComponents } from "../arrays/digraph";
import type { ScopeContent } from "../model/scopeFlows";
import type { ScopeTree } from "../model/scopeTree";

/** Stacks of siblings, by ordinal. */
export interface Stacks {
  /** The first member of the stack of a child; a child outside of stacks is its own. */
  first: Int32Array;
  /** For a first member the first member of the first stack that repeats with it, which folds and unfolds with it. */
  name: Int32Array;
}

/**
 * Stacks of siblings with the same structure, at least `least` of them. Stacks that repeat in turns (A B A B) fold together. Other
 * stacks that boxes separate, so that folding them would close a cycle, stay apart.
 */
export function findStacks(tree: ScopeTree, content: ScopeContent, isDrawn: (item: number) => boolean, least: number): Stacks {
  const children = membersOf(tree.children, content.scope);
  const first = candidateStacks(tree, children, isDrawn, least);
  const name = Int32Array.from(children.keys());
  if (first.every((stack, ordinal) => stack === ordinal)) return { first, name };
  const folded = (ordinals: Int32Array): Int32Array => ordinals.map((ordinal) => first[ordinal]!);
  const graph = buildDigraph(children.length, folded(content.innerSource), folded(content.innerTarget));
  const { component, count } = strongComponents(graph);
  const parts = groupBy(
    first.map((stack) => component[stack]!),
    count,
  );
  for (let part = 0; part < count; part++) {
    const members = membersOf(parts, part);
    const stacks = new Set(members.map((ordinal) => first[ordinal]!));
    if (stacks.size === 1) continue;
    const isFolded = isPeriodic(members, first, stacks.size) && members.length >= least * stacks.size;
    for (const ordinal of members)
      if (isFolded) name[first[ordinal]!] = first[members[0]!]!;
      else first[ordinal] = ordinal;
  }
  return { first, name };
}

/** Whether the stacks of members, which are in execution order, repeat as in the first period; the last one may be incomplete. */
const isPeriodic = (members: Int32Array, first: Int32Array, period: number): boolean =>
  members.every((ordinal, place) => first[ordinal] === first[members[place % period]!]);

function candidateStacks(tree: ScopeTree, children: Int32Array, isDrawn: (item: number) => boolean, least: number): Int32Array {
  const numbers = new Map<number, number>();
  const keys = children.map((item) => {
    const structureClass = item < tree.scopeCount && isDrawn(item) ? tree.structure.scope_class[item]! : 0;
    if (structureClass === 0) return -1;
    if (!numbers.has(structureClass)) numbers.set(structureClass, numbers.size);
    return numbers.get(structureClass)!;
  });
  const first = Int32Array.from(children.keys());
  const groups = groupBy(keys, numbers.size);
  for (let group = 0; group < numbers.size; group++) {
    const members = membersOf(groups, group);
    if (members.length >= least) for (const ordinal of members) first[ordinal] = members[0]!;
  }
  return first;
}
