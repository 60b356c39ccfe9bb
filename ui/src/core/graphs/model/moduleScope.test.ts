// SPDX-License-Identifier: Apache-2.0
import { expect, it } from "vitest";

import { GraphBuilder } from "./generatedGraph";
import { scopeOfModule } from "./moduleScope";
import { buildScopeTree } from "./scopeTree";

it("finds the highest scope whose path ends in the path of a module", () => {
  const graph = new GraphBuilder();
  const root = graph.scope("Default");
  const encoder = graph.scope("encoder", root);
  const layers = graph.scope("layers.0", encoder);
  const dense = graph.scope("fc-Dense", layers);
  const deeper = graph.scope("fc-Dense", graph.scope("head", graph.scope("fc", encoder)));
  graph.node(dense, { label: "mm", type: "MatMul" });
  graph.node(deeper, { label: "mm", type: "MatMul" });
  const tree = buildScopeTree(graph.build());
  expect(scopeOfModule(tree, "encoder.layers.0")).toBe(layers);
  expect(scopeOfModule(tree, "layers.0.fc")).toBe(dense);
  expect(scopeOfModule(tree, "head.fc")).toBe(deeper);
  expect(scopeOfModule(tree, "decoder.fc")).toBe(-1);
  expect(scopeOfModule(tree, "a.b.Default.encoder")).toBe(-1);
});
