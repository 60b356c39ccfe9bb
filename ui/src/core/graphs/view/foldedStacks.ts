// SPDX-License-Identifier: Apache-2.0
import { membersOf } from "../arrays/groups";
import type { GraphPicture } from "./graphPicture";

/** Members of the folded stacks of a picture, by their first member, which may be open. */
export function foldedStacks({ tree, frames }: GraphPicture): Map<number, number[]> {
  const stacks = new Map<number, number[]>();
  for (const { scope, items } of frames.values()) {
    const children = membersOf(tree.children, scope);
    items.boxOfChild.forEach((box, ordinal) => {
      if (box < 0 || items.stackSize[box]! < 2) return;
      const first = items.item[box]!;
      const known = stacks.get(first);
      if (known) known.push(children[ordinal]!);
      else stacks.set(first, [children[ordinal]!]);
    });
  }
  return stacks;
}
