// SPDX-License-Identifier: Apache-2.0
import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { buildAdjacency } from "./adjacency";
import { graphFromNumbers } from "./arbitraries";
import { GraphBuilder } from "./generatedGraph";
import { criticalPath, markedConnections, nodesBetween, reachableNodes } from "./paths";
import type { GraphStructure } from "./structure";

const numbers = fc.array(fc.nat(10_000), { minLength: 1, maxLength: 14 });
const graphs = (isAcyclic: boolean) => fc.tuple(numbers, numbers).map(([nodes, edges]) => graphFromNumbers([], nodes, edges, isAcyclic));

/** Every simple way from a node. */
function* ways(structure: GraphStructure, way: number[]): Generator<number[]> {
  yield way;
  for (const [edge, source] of structure.source.entries())
    if (source === way.at(-1) && !way.includes(structure.target[edge]!)) yield* ways(structure, [...way, structure.target[edge]!]);
}

describe("paths", () => {
  it("reach what a way reaches, in both directions", () => {
    fc.assert(
      fc.property(graphs(false), fc.nat(), (structure, seed) => {
        const start = seed % structure.scope.length;
        const adjacency = buildAdjacency(structure);
        const from = reachableNodes(structure, adjacency, start, "from");
        const want = new Set([...ways(structure, [start])].map((way) => way.at(-1)!));
        for (const node of structure.scope.keys()) {
          expect(from[node]).toBe(want.has(node) ? 1 : 0);
          expect(reachableNodes(structure, adjacency, node, "to")[start]).toBe(from[node]);
        }
      }),
    );
  });

  it("between two nodes are all nodes and edges of all ways", () => {
    fc.assert(
      fc.property(graphs(true), fc.nat(), fc.nat(), (structure, seedA, seedB) => {
        const [a, b] = [seedA % structure.scope.length, seedB % structure.scope.length];
        const between = nodesBetween(structure, buildAdjacency(structure), a, b);
        const found = [...ways(structure, [a])].filter((way) => way.at(-1) === b);
        expect([...between.keys()].filter((node) => between[node])).toEqual([...new Set(found.flat())].sort((x, y) => x - y));
        const edges = markedConnections(structure, between);
        for (const [edge, source] of structure.source.entries()) {
          const isOnWay = found.some((way) => way.includes(source) && way[way.indexOf(source) + 1] === structure.target[edge]);
          expect(edges[edge]).toBe(isOnWay ? 1 : 0);
        }
      }),
    );
  });

  it("the critical path is the heaviest way of an acyclic graph", () => {
    fc.assert(
      fc.property(graphs(true), fc.array(fc.nat(100), { minLength: 14, maxLength: 14 }), (structure, weights) => {
        const column = Float64Array.from(weights.slice(0, structure.scope.length));
        const heaviest = Math.max(
          ...[...structure.scope.keys()].flatMap((node) =>
            [...ways(structure, [node])].map((way) => way.reduce((sum, step) => sum + column[step]!, 0)),
          ),
        );
        const { nodes, total } = criticalPath(structure, column);
        expect(total).toBe(heaviest);
        expect(nodes.reduce((sum, node) => sum + column[node]!, 0)).toBe(total);
        for (let index = 1; index < nodes.length; index++)
          expect(
            [...structure.source.keys()].some(
              (edge) => structure.source[edge] === nodes[index - 1] && structure.target[edge] === nodes[index],
            ),
          ).toBe(true);
      }),
    );
  });

  it("count a cycle as one node, and need no stack for 100,000 nodes", () => {
    const graph = new GraphBuilder();
    for (let index = 0; index < 100_000; index++) graph.node(0);
    for (let index = 0; index < 99_999; index++) graph.edge(index, index + 1);
    graph.edge(99_999, 50_000);
    const structure = graph.build();
    const { nodes, total } = criticalPath(structure, structure.flops);
    expect([nodes.length, total]).toEqual([100_000, 100_000]);
    expect(criticalPath(new GraphBuilder().build(), new Float64Array(0)).nodes.length).toBe(0);
  });
});
