// SPDX-License-Identifier: Apache-2.0
import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { backEdges, buildDigraph, strongComponents, topologicalOrder, type Digraph } from "./digraph";

const digraphs = fc
  .tuple(fc.integer({ min: 1, max: 12 }), fc.array(fc.tuple(fc.nat(11), fc.nat(11)), { maxLength: 30 }))
  .map(([vertices, edges]) =>
    buildDigraph(
      vertices,
      Int32Array.from(edges, ([from]) => from % vertices),
      Int32Array.from(edges, ([, to]) => to % vertices),
    ),
  );

function reachable(graph: Digraph, start: number): Set<number> {
  const reached = new Set([start]);
  for (const vertex of reached)
    for (let edge = 0; edge < graph.from.length; edge++) if (graph.from[edge] === vertex) reached.add(graph.to[edge]!);
  return reached;
}

describe("a digraph", () => {
  it("has no cycle without its back edges, and none of those when it is acyclic", () => {
    fc.assert(
      fc.property(digraphs, (graph) => {
        const isBack = backEdges(graph);
        const rest = buildDigraph(graph.vertices, graph.from, graph.to, (edge) => !isBack[edge]);
        expect(topologicalOrder(rest).length).toBe(graph.vertices);
        if (topologicalOrder(graph).length === graph.vertices) expect(isBack.some(Boolean)).toBe(false);
      }),
    );
  });

  it("orders each vertex after its predecessors", () => {
    fc.assert(
      fc.property(digraphs, (graph) => {
        const order = [...topologicalOrder(graph)];
        for (let edge = 0; edge < graph.from.length; edge++)
          if (order.includes(graph.to[edge]!)) expect(order.indexOf(graph.from[edge]!)).toBeLessThan(order.indexOf(graph.to[edge]!));
      }),
    );
  });

  it("has components of vertices that reach each other", () => {
    fc.assert(
      fc.property(digraphs, (graph) => {
        const { component } = strongComponents(graph);
        for (let a = 0; a < graph.vertices; a++)
          for (let b = 0; b < graph.vertices; b++)
            expect(component[a] === component[b]).toBe(reachable(graph, a).has(b) && reachable(graph, b).has(a));
        for (let edge = 0; edge < graph.from.length; edge++)
          expect(component[graph.to[edge]!]).toBeLessThanOrEqual(component[graph.from[edge]!]!);
      }),
    );
  });

  it("of 100,000 vertices in a ring needs no stack", () => {
    const from = Int32Array.from({ length: 100_000 }, (_, vertex) => vertex);
    const ring = buildDigraph(
      100_000,
      from,
      from.map((vertex) => (vertex + 1) % 100_000),
    );
    expect(strongComponents(ring).count).toBe(1);
    expect(backEdges(ring).reduce((sum, back) => sum + back, 0)).toBe(1);
  });
});
