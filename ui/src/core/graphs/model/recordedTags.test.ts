// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from "vitest";

import { buildAdjacency } from "./adjacency";
import { GraphBuilder } from "./generatedGraph";
import { itemsOfTags, namesWeight, weightsOf } from "./recordedTags";
import { buildScopeTree } from "./scopeTree";
import { PART, ROLE } from "./structure";

describe("tags of weights", () => {
  it.each([
    ["conv1.weight", "conv1.weight", true],
    ["conv1.weight/auto", "net.conv1.weight", true],
    ["grad_norm/net.conv1.weight", "conv1.weight", true],
    ["conv1.weight.grad", "net.conv1.weight", true],
    ["conv1.weight", "conv11.weight", false],
    ["conv11.weight", "conv1.weight", false],
    ["weight", "conv1.weight", false],
    ["loss", "conv1.weight", false],
    ["conv1.weight", "weight", false],
  ])("%s names %s: %s", (tag, name, want) => expect(namesWeight(tag, name)).toBe(want));

  it("are those of a node, of what it reads, and of a scope", () => {
    const graph = new GraphBuilder();
    const scope = graph.scope("layer");
    const weight = graph.node(0, { label: "layer.weight", role: ROLE.parameter });
    const other = graph.node(0, { label: "other.weight", role: ROLE.parameter });
    const [reader, last] = [graph.node(scope), graph.node(0)];
    const load = graph.node(0, { type: "Load", parts: PART.passThrough });
    graph.edge(weight, reader);
    graph.edge(other, load);
    graph.edge(load, last);
    graph.edge(reader, last);
    const structure = graph.build();
    const tree = buildScopeTree(structure);
    const of = (item: number): number[] => weightsOf(tree, buildAdjacency(structure), item);
    expect(of(scope)).toEqual([weight]);
    expect(of(tree.scopeCount + reader)).toEqual([weight]);
    expect(of(tree.scopeCount + weight)).toEqual([weight]);
    expect(of(tree.scopeCount + last)).toEqual([other]);
    const marked = [weight, reader].map((node) => tree.scopeCount + node);
    expect([...itemsOfTags(tree, ["layer.weight/gradient"])].sort()).toEqual([scope, ...marked].sort());
    expect(itemsOfTags(tree, ["loss"]).size).toBe(0);
  });
});
