// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from "vitest";

import { generatedModel } from "./generatedGraph";
import { buildScopeTree } from "./scopeTree";
import { ROLE } from "./structure";
import { scopeTotals, typesBelow } from "./typeTable";

describe("the table of types", () => {
  const structure = generatedModel(2000);
  const tree = buildScopeTree(structure);
  const totals = scopeTotals(tree);

  it("adds up to the whole graph at the root", () => {
    const isOperation = (node: number) => structure.role[node] !== ROLE.parameter && structure.role[node] !== ROLE.constant;
    const nodes = [...structure.scope.keys()];
    const sum = (values: number[]) => values.reduce((total, value) => total + value, 0);
    expect(totals.count[0]).toBe(nodes.filter(isOperation).length);
    expect(totals.parameters[0]).toBe(sum([...structure.parameterCount].filter((count) => !Number.isNaN(count))));
    expect(totals.flops[0]).toBe(sum([...structure.flops]));
    expect(totals.bytes[0]).toBe(sum(nodes.filter(isOperation).map((node) => structure.bytes[node]!)));
  });

  it("gives the same totals by type as by scope", () => {
    for (const scope of [0, 1, 2, 5, tree.scopeCount - 1]) {
      const types = typesBelow(tree, scope);
      const sum = (column: Float64Array) => column.reduce((total, value) => total + value, 0);
      expect(sum(types.count)).toBe(tree.end[scope]! - tree.begin[scope]!);
      expect(sum(types.parameters)).toBe(totals.parameters[scope]);
      expect(sum(types.flops)).toBe(totals.flops[scope]);
      expect(sum(types.bytes)).toBe(totals.bytes[scope]);
      expect([...types.count]).toEqual([...types.count].sort((a, b) => b - a));
    }
  });
});
