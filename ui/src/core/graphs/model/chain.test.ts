// SPDX-License-Identifier: Apache-2.0
import { expect, it } from "vitest";

import { buildAdjacency } from "./adjacency";
import { chainNodes } from "./chain";
import { GraphBuilder } from "./generatedGraph";
import { buildScopeTree } from "./scopeTree";

const graph = new GraphBuilder();
const block = graph.scope("block");
const inner = graph.scope("fc", block);
const input = graph.node(0);
const [linear, cast, act] = [graph.node(inner), graph.node(inner), graph.node(block)];
const [detour, head, aside] = [graph.node(0), graph.node(0), graph.node(0)];
for (const [from, to] of [
  [input, linear],
  [linear, cast],
  [cast, act],
  [act, head],
  [act, detour],
  [detour, aside],
  [aside, head],
] as const)
  graph.edge(from, to);
const tree = buildScopeTree(graph.build());
const adjacency = buildAdjacency(tree.structure);
const item = (node: number): number => tree.scopeCount + node;
const marked = (items: number[]): number[] =>
  [...chainNodes(tree, adjacency, items).entries()].filter(([, is]) => is).map(([node]) => node);

it("joins the operators of a chain by the shortest ways", () => {
  expect(marked([item(linear), item(head)])).toEqual([linear, cast, act, head]);
  expect(marked([item(head), item(linear)])).toEqual([linear, cast, act, head]);
  expect(marked([item(detour), item(act)])).toEqual([act, detour]);
});

it("takes all nodes of a scope, and of nested items the innermost", () => {
  expect(marked([inner])).toEqual([linear, cast]);
  expect(marked([inner, block, 0])).toEqual([linear, cast]);
  expect(marked([item(linear), block, item(head)])).toEqual([linear, cast, act, head]);
  expect(marked([])).toEqual([]);
});
