// SPDX-License-Identifier: Apache-2.0
import { expect, it } from "vitest";

import { membersOf } from "../arrays/groups";
import { generatedModel } from "../model/generatedGraph";
import { buildScopeTree, itemLabel } from "../model/scopeTree";
import { foldedStacks } from "./foldedStacks";
import { DEFAULT_GRAPH_OPTIONS } from "./graphOptions";
import { GraphPictures } from "./graphPicture";

it("has the members of folded stacks, also of one whose first member is open", () => {
  const tree = buildScopeTree(generatedModel(1000));
  const layers = [...tree.parent.keys()].find((item) => item < tree.scopeCount && itemLabel(tree, item) === "layers")!;
  const pictures = new GraphPictures(tree, DEFAULT_GRAPH_OPTIONS);
  const blocks = [...membersOf(tree.children, layers)];
  const open = [tree.parent[layers]!, layers];
  const stacksOf = (scopes: number[], unfolded: number[] = []) =>
    foldedStacks(pictures.picture({ open: new Set(scopes), unfolded: new Set(unfolded) }));
  expect(stacksOf(open).get(blocks[0]!)).toEqual(blocks);
  expect(stacksOf([...open, blocks[0]!]).get(blocks[0]!)).toEqual(blocks);
  expect(stacksOf(open, [blocks[0]!]).has(blocks[0]!)).toBe(false);
});
