// SPDX-License-Identifier: Apache-2.0
import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { buildAdjacency } from "./adjacency";
import { graphFromNumbers } from "./arbitraries";
import { GraphBuilder, generatedModel } from "./generatedGraph";
import { AMOUNTS, GraphTables, type TableRequest } from "./graphTables";
import { buildScopeTree, isEmptyScope, itemLabel, itemPath } from "./scopeTree";
import { PART, ROLE, type GraphStructure } from "./structure";

const ALL: TableRequest = { kind: "scopes", sort: null, open: null, kept: null };
const tablesOf = (structure: GraphStructure): GraphTables => new GraphTables(buildScopeTree(structure), buildAdjacency(structure));

/** Two layers that read weights through a Load, with an optimizer that reads them, too. */
function network(): { structure: GraphStructure; names: (request: Partial<TableRequest>) => string[]; tables: GraphTables } {
  const graph = new GraphBuilder();
  const net = graph.scope("Default");
  const [first, second, optimizer] = [graph.scope("conv-Conv2d", net), graph.scope("fc-Dense", net), graph.scope("optimizer-Adam", net)];
  const x = graph.node(0, { label: "x", role: ROLE.input, bytes: 400 });
  const [w1, w2, mean] = ["conv.weight", "fc.weight", "conv.moving_mean"].map((label) =>
    graph.node(0, { label, role: ROLE.parameter, bytes: 4000, parts: label.endsWith("mean") ? PART.fixed : 0 }),
  ) as [number, number, number];
  const update = graph.node(optimizer, { label: "update", type: "Adam", parts: PART.optimizer });
  const load = graph.node(0, { label: "load", type: "Load", bytes: 4000, parts: PART.passThrough });
  const convolution = graph.node(first, { label: "conv", type: "Conv2D", flops: 100 });
  const product = graph.node(second, { label: "matmul", type: "MatMul", flops: 50 });
  for (const [from, to] of [
    [x, convolution],
    [w1, load],
    [load, convolution],
    [w2, product],
    [mean, convolution],
    [convolution, product],
    [w1, update],
    [w2, update],
  ] as const)
    graph.edge(from, to);
  const structure = graph.build();
  const tree = buildScopeTree(structure);
  const tables = tablesOf(structure);
  const names = (request: Partial<TableRequest>): string[] => {
    const table = tables.table({ ...ALL, ...request });
    return Array.from(table.row, (row) => (table.kind === "types" ? structure.texts[row]! : itemLabel(tree, row)));
  };
  return { structure, names, tables };
}

describe("tables of a graph", () => {
  it("give a weight to the layer that reads it, and know inputs and fixed weights by their names", () => {
    const { tables, structure } = network();
    const { row, amounts, shape } = tables.table({ ...ALL, kind: "layers" });
    expect(Array.from(row, (scope) => itemPath(buildScopeTree(structure), scope))).toEqual(["Default.conv", "Default.fc"]);
    expect([...amounts.parameters]).toEqual([2000, 1000]);
    expect([...amounts.trainable]).toEqual([1000, 1000]);
    expect(structure.texts[shape[0]!]).toBe("1024 x 1");
    expect(tables.table(ALL).total).toMatchObject({ parameters: 3000, trainable: 2000, count: 4 });
  });

  it("sort siblings in the tree, and types", () => {
    const { names } = network();
    const open = new Set([1]);
    expect(names({ open, sort: { column: "flops", isDescending: true } }).slice(0, 3)).toEqual(["Default", "conv-Conv2d", "fc-Dense"]);
    expect(names({ open, sort: { column: "name", isDescending: true } })[0]).toBe("x");
    expect(names({ kind: "types", sort: { column: "name", isDescending: false } })).toEqual(["Adam", "Conv2D", "Load", "MatMul"]);
    expect(names({ kind: "types", sort: { column: "flops", isDescending: true } })[0]).toBe("Conv2D");
  });

  it("keep what is found with the scopes around it", () => {
    const { names, structure } = network();
    const node = [...structure.label.keys()].find((each) => structure.texts[structure.label[each]!] === "matmul")!;
    const kept = { nodes: Int32Array.of(node), scopes: new Int32Array(0) };
    expect(names({ open: new Set(), kept })).toEqual(["Default", "fc-Dense", "matmul"]);
    expect(names({ kind: "types", kept })).toEqual(["MatMul"]);
    expect(names({ kind: "layers", kept })).toEqual(["fc-Dense"]);
  });

  it("list every item of any graph once, with sums that add up", () => {
    const numbers = fc.array(fc.nat(100_000), { maxLength: 40 });
    fc.assert(
      fc.property(numbers, numbers, numbers, (scopes, nodes, edges) => {
        const structure = graphFromNumbers(scopes, nodes, edges);
        const tree = buildScopeTree(structure);
        const tables = tablesOf(structure);
        const { row, depth } = tables.table(ALL);
        expect([...row].sort((a, b) => a - b)).toEqual([...tree.parent.keys()].slice(1).filter((item) => !isEmptyScope(tree, item)));
        row.forEach((item, place) => {
          if (tree.parent[item]! > 0) expect(depth[place]).toBe(depth[row.indexOf(tree.parent[item]!)]! + 1);
        });
        const types = tables.table({ ...ALL, kind: "types" });
        for (const amount of ["count", "flops", "bytes"] as const)
          expect(types.amounts[amount].reduce((sum, value) => sum + value, 0)).toBe(types.total[amount]);
      }),
    );
  });

  it("have rows for 100,000 nodes", () => {
    const tables = tablesOf(generatedModel(100_000));
    const { row, amounts } = tables.table({ ...ALL, sort: { column: "bytes", isDescending: true } });
    expect(row.length).toBeGreaterThan(100_000);
    for (const amount of AMOUNTS) expect(amounts[amount].length).toBe(row.length);
  });
});
