// SPDX-License-Identifier: Apache-2.0
import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { membersOf } from "../arrays/groups";
import { buildAdjacency } from "./adjacency";
import { graphFromNumbers } from "./arbitraries";
import { buildFlows, DEFAULT_FLOW_OPTIONS, type FlowOptions } from "./flows";
import { GraphBuilder } from "./generatedGraph";
import { ScopeFlows } from "./scopeFlows";
import { buildScopeTree, childAt, commonScope, positionOf, scopesAbove } from "./scopeTree";
import { PART, ROLE, type GraphStructure } from "./structure";

const numbers = fc.array(fc.nat(100_000), { maxLength: 40 });
const graphs = fc.tuple(numbers, numbers, numbers).map(([scopes, nodes, edges]) => graphFromNumbers(scopes, nodes, edges));
const everything: FlowOptions = { ...DEFAULT_FLOW_OPTIONS, parameters: "node", constants: "node", bridgePassThrough: false };
const flowsOf = (structure: GraphStructure, options = everything) => buildFlows(structure, buildAdjacency(structure), options);

describe("the tree of scopes", () => {
  it("gives each scope the interval of the nodes below it", () => {
    fc.assert(
      fc.property(graphs, (structure) => {
        const tree = buildScopeTree(structure);
        for (let scope = 0; scope < tree.scopeCount; scope++) {
          const inside = tree.nodeAt.slice(tree.begin[scope]!, tree.end[scope]!);
          const want = [...structure.scope.keys()].filter((node) => scopesAbove(tree, tree.scopeCount + node).includes(scope));
          expect([...inside].sort((a, b) => a - b)).toEqual(want);
        }
      }),
    );
  });

  it("finds the lowest common scope and the child on the way", () => {
    fc.assert(
      fc.property(graphs, fc.nat(), fc.nat(), (structure, seedA, seedB) => {
        fc.pre(structure.scope.length > 0);
        const tree = buildScopeTree(structure);
        const [a, b] = [seedA % tree.nodeCount, seedB % tree.nodeCount];
        const above = [a, b].map((node) => scopesAbove(tree, tree.scopeCount + node));
        const want = above[0]!.filter((scope) => above[1]!.includes(scope)).at(-1)!;
        expect(commonScope(tree, a, b)).toBe(want);
        const child = membersOf(tree.children, want)[childAt(tree, want, positionOf(tree, a))]!;
        expect([...above[0]!, tree.scopeCount + a]).toContain(child);
        expect(tree.parent[child]).toBe(want);
      }),
    );
  });

  it("lists children in execution order", () => {
    const graph = new GraphBuilder();
    const late = graph.scope("late");
    const early = graph.scope("early");
    const first = graph.node(early);
    const second = graph.node(0);
    const third = graph.node(late);
    const tree = buildScopeTree(graph.build());
    expect([...membersOf(tree.children, 0)]).toEqual([early, tree.scopeCount + second, late]);
    expect([...tree.nodeAt]).toEqual([first, second, third]);
  });

  it("takes an empty graph, empty scopes and a depth of 10,000", () => {
    const empty = buildScopeTree(new GraphBuilder().build());
    expect(empty.nodeCount).toBe(0);
    const graph = new GraphBuilder();
    let scope = 0;
    const nodes = Array.from({ length: 10_000 }, () => graph.node((scope = graph.scope("deeper", scope))));
    const tree = buildScopeTree(graph.build());
    expect(commonScope(tree, nodes[17]!, nodes.at(-1)!)).toBe(18);
    expect(commonScope(tree, nodes.at(-1)!, nodes[0]!)).toBe(1);
  });
});

describe("flows", () => {
  it("are the edges when nothing is hidden", () => {
    fc.assert(
      fc.property(graphs, (structure) => {
        const flows = flowsOf(structure);
        expect(flows.source).toEqual(structure.source);
        expect(flows.target).toEqual(structure.target);
        expect(flows.isDrawn.every(Boolean)).toBe(true);
      }),
    );
  });

  it("connect only drawn nodes, whatever is hidden", () => {
    const display = fc.constantFrom("node", "consumer", "port", "hidden" as const);
    const options = fc.record({
      parameters: display,
      constants: display,
      bridgePassThrough: fc.boolean(),
      hideGradient: fc.boolean(),
      hideOptimizer: fc.boolean(),
    });
    fc.assert(
      fc.property(graphs, options, (structure, chosen) => {
        const flows = flowsOf(structure, chosen as FlowOptions);
        for (const node of [...flows.source, ...flows.target]) expect(flows.isDrawn[node]).toBe(1);
        for (const node of flows.attached.members) expect(flows.isDrawn[node]).toBe(0);
      }),
    );
  });

  it("bridge pass-through nodes and keep those that lead nowhere", () => {
    const graph = new GraphBuilder();
    const [a, b] = [graph.node(0), graph.node(0)];
    const tuple = graph.node(0, { parts: PART.passThrough });
    const item = graph.node(0, { parts: PART.passThrough });
    const reader = graph.node(0);
    const end = graph.node(0, { parts: PART.passThrough });
    for (const [source, target] of [
      [a, tuple],
      [b, tuple],
      [tuple, item],
      [item, reader],
      [reader, end],
    ])
      graph.edge(source!, target!);
    const flows = flowsOf(graph.build(), DEFAULT_FLOW_OPTIONS);
    expect([...flows.source]).toEqual([a, b, reader]);
    expect([...flows.target]).toEqual([reader, reader, end]);
  });

  it("do not bridge a cycle, nor what would multiply the edges", () => {
    const graph = new GraphBuilder();
    const [p, q] = [graph.node(0, { parts: PART.passThrough }), graph.node(0, { parts: PART.passThrough })];
    graph.edge(p, q);
    graph.edge(q, p);
    const tuple = graph.node(0, { parts: PART.passThrough });
    for (let index = 0; index < 100; index++) {
      graph.edge(graph.node(0), tuple);
      graph.edge(tuple, graph.node(0));
    }
    const flows = flowsOf(graph.build(), DEFAULT_FLOW_OPTIONS);
    expect([p, q, tuple].map((node) => flows.isDrawn[node])).toEqual([1, 1, 1]);
    expect(flows.source.length).toBe(202);
  });

  it("list a parameter in its consumer, also past a pass-through node", () => {
    const graph = new GraphBuilder();
    const weight = graph.node(0, { role: ROLE.parameter });
    const load = graph.node(0, { parts: PART.passThrough });
    const consumer = graph.node(0);
    graph.edge(weight, load);
    graph.edge(load, consumer);
    const flows = flowsOf(graph.build(), DEFAULT_FLOW_OPTIONS);
    expect([...membersOf(flows.attached, consumer)]).toEqual([weight]);
    expect(flows.source.length).toBe(0);
  });
});

describe("flows by scope", () => {
  it("are inside of one scope and at the border of each scope around one end", () => {
    fc.assert(
      fc.property(graphs, (structure) => {
        const tree = buildScopeTree(structure);
        const flows = flowsOf(structure);
        const scopeFlows = new ScopeFlows(tree, flows);
        const isInside = (scope: number, node: number) => scopesAbove(tree, tree.scopeCount + node).includes(scope);
        let inner = 0;
        for (let scope = 0; scope < tree.scopeCount; scope++) {
          const content = scopeFlows.content(scope);
          inner += content.inner.length;
          const want = [...flows.source.keys()].filter(
            (flow) => isInside(scope, flows.source[flow]!) !== isInside(scope, flows.target[flow]!),
          );
          expect([...content.border].sort((a, b) => a - b)).toEqual(want);
          for (const [slot, flow] of content.border.entries())
            expect(content.isLeaving[slot]).toBe(isInside(scope, flows.source[flow]!) ? 1 : 0);
        }
        expect(inner).toBe(flows.source.length);
      }),
    );
  });
});
