// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from "vitest";

import { GraphBuilder } from "./generatedGraph";
import { mergeGraphs, STATUS, type GraphDiff } from "./mergedGraph";
import { buildScopeTree, itemLabel, scopesAbove } from "./scopeTree";

/** a -> old/b -> c becomes a -> c -> d, and c changes. */
function graphs() {
  const [first, second] = [new GraphBuilder(), new GraphBuilder()];
  const net = first.scope("net");
  const old = first.scope("old", net);
  const [a, b, c] = [first.node(net, { label: "a" }), first.node(old, { label: "b", type: "Gone" }), first.node(net, { label: "c" })];
  first.edge(a, b);
  first.edge(b, c);
  const other = second.scope("net");
  const [a2, c2, d2] = ["a", "c", "d"].map((label) => second.node(other, { label })) as [number, number, number];
  second.edge(a2, c2);
  second.edge(c2, d2);
  const diff: GraphDiff = {
    counts: { same: 1, changed: 1, removed: 1, added: 1, fused: 0, split: 0 },
    before_status: Uint8Array.of(STATUS.same, STATUS.removed, STATUS.changed),
    after_status: Uint8Array.of(STATUS.same, STATUS.changed, STATUS.added),
    after_of: Int32Array.of(0, -1, 1),
    before_of: Int32Array.of(0, 2, -1),
    changes: Uint8Array.of(0, 0, 16),
    entry_status: Uint8Array.of(STATUS.removed, STATUS.changed, STATUS.added),
    entry_before: Int32Array.of(1, 2, -1),
    entry_after: Int32Array.of(-1, 1, 2),
  };
  return { before: first.build(), after: second.build(), diff };
}

describe("two graphs as one", () => {
  const { before, after, diff } = graphs();
  const merged = mergeGraphs(before, after, diff);
  const tree = buildScopeTree(merged.structure);

  it("have the nodes of the later graph, then those that are gone, in their scopes", () => {
    const names = [...merged.structure.scope.keys()].map((node) => itemLabel(tree, tree.scopeCount + node));
    expect(names).toEqual(["a", "c", "d", "b"]);
    expect([...merged.status]).toEqual([STATUS.same, STATUS.changed, STATUS.added, STATUS.removed]);
    const above = scopesAbove(tree, tree.scopeCount + 3).map((scope) => itemLabel(tree, scope));
    expect(above).toEqual(["", "net", "old"]);
    expect(merged.structure.texts[merged.structure.type[3]!]).toBe("Gone");
    expect([...merged.before]).toEqual([0, 2, -1, 1]);
  });

  it("have the edges of both", () => {
    const edges = [...merged.structure.source.keys()].map((edge) => `${merged.structure.source[edge]}-${merged.structure.target[edge]}`);
    expect(edges).toEqual(["0-1", "1-2", "0-3", "3-1"]);
  });

  it("lead from each entry of the list to a node", () => {
    expect([...merged.entryNode]).toEqual([3, 1, 2]);
  });

  it("keep only scopes without differences alike", () => {
    const alike = { ...after, scope_class: Uint32Array.of(0, 7) };
    expect([...mergeGraphs(before, alike, diff).structure.scope_class]).toEqual([0, 0, 0]);
    const equal = { ...diff, after_status: new Uint8Array(3), before_status: new Uint8Array(3), after_of: Int32Array.of(0, 0, 1) };
    expect([...mergeGraphs(before, alike, equal).structure.scope_class]).toEqual([0, 7]);
  });
});
