// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from "vitest";

import { GraphBuilder, generatedModel } from "./generatedGraph";
import { buildScopeTree } from "./scopeTree";
import { ROLE } from "./structure";
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
});
