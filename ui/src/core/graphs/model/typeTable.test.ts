// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from "vitest";

import { buildAdjacency } from "./adjacency";
import { GraphBuilder, generatedModel } from "./generatedGraph";
import { GraphTables } from "./graphTables";
import { buildScopeTree } from "./scopeTree";
import { ROLE, SCOPE_KIND } from "./structure";
import { scopeTotals, typesBelow } from "./typeTable";

describe("the totals of scopes", () => {
  const structure = generatedModel(2000);
  const tree = buildScopeTree(structure);
  const totals = scopeTotals(tree);

  it("add up to the whole graph at the root", () => {
    const isOperation = (node: number) => structure.role[node] === ROLE.operation;
    const nodes = [...structure.scope.keys()].filter(isOperation);
    const sum = (values: number[]) => values.filter((value) => !Number.isNaN(value)).reduce((total, value) => total + value, 0);
    expect(totals.count[0]).toBe(nodes.length);
    expect(totals.flops[0]).toBe(sum(nodes.map((node) => structure.flops[node]!)));
    expect(totals.bytes[0]).toBe(sum(nodes.map((node) => structure.bytes[node]!)));
  });

  it("are counts by type together", () => {
    for (const scope of [0, 1, 2, 5, tree.scopeCount - 1]) {
      const types = typesBelow(tree, scope);
      expect(types.count.reduce((total, value) => total + value, 0)).toBe(tree.end[scope]! - tree.begin[scope]!);
      expect([...types.count]).toEqual([...types.count].sort((a, b) => b - a));
    }
  });

  it("are NaN for unknown amounts, not 0, and say where a part is unknown", () => {
    const graph = new GraphBuilder();
    const [unknown, partial, free, known] = ["unknown", "partial", "free", "known"].map((name) => graph.scope(name)) as [
      number,
      number,
      number,
      number,
    ];
    graph.node(unknown, { flops: NaN });
    graph.node(unknown, { flops: 0 });
    graph.node(partial, { flops: NaN });
    graph.node(partial, { flops: 7 });
    graph.node(free, { flops: 0 });
    graph.node(known, { flops: 5 });
    const { flops, isPartial } = scopeTotals(buildScopeTree(graph.build()));
    expect([...flops]).toEqual([12, NaN, 7, 0, 5]);
    expect([...isPartial.flops]).toEqual([1, 1, 1, 0, 0]);
  });

  it("count the largest of branches that exclude each other, also of branches in branches, and both bodies of a loop", () => {
    const graph = new GraphBuilder();
    const condition = graph.scope("If", 0, 0, SCOPE_KIND.call);
    const [then, other] = ["then", "else"].map((name) => graph.scope(name, condition, 0, SCOPE_KIND.branch)) as [number, number];
    const inner = graph.scope("If", then, 0, SCOPE_KIND.call);
    const loop = graph.scope("while", 0, 0, SCOPE_KIND.loop);
    for (const flops of [5, 9]) graph.node(graph.scope(`${flops}`, inner, 0, SCOPE_KIND.branch), { flops });
    graph.node(then, { flops: 1 });
    graph.node(other, { flops: 7 });
    for (const flops of [20, 30]) graph.node(graph.scope(`${flops}`, loop, 0, SCOPE_KIND.body), { flops });
    const tree = buildScopeTree(graph.build());
    const { flops, count } = scopeTotals(tree);
    expect([flops[then], flops[other], flops[inner], flops[condition], flops[loop], flops[0]]).toEqual([10, 7, 9, 10, 50, 60]);
    expect(count[0]).toBe(6);
    const { sums } = new GraphTables(tree, buildAdjacency(tree.structure));
    expect([sums.flops[0], sums.count[0]]).toEqual([60, 6]);
  });
});
