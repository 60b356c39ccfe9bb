// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from "vitest";

import { GraphBuilder } from "./generatedGraph";
import { ProfiledTimes, type ScopeTimes } from "./profiledTimes";
import { buildScopeTree } from "./scopeTree";
import { ROLE } from "./structure";

/** A layer with two products, a sum and a weight, and an operation outside of it. */
function joined(change: Partial<ScopeTimes> = {}): { times: ProfiledTimes; layer: number; nodes: readonly number[]; count: number } {
  const graph = new GraphBuilder();
  const layer = graph.scope("fc-Dense", graph.scope("Default"));
  const nodes = [
    graph.node(layer, { label: "matmul", type: "MatMul" }),
    graph.node(layer, { label: "matmul2", type: "MatMul" }),
    graph.node(layer, { label: "add", type: "Add" }),
    graph.node(layer, { label: "weight", type: "MatMul", role: ROLE.parameter }),
    graph.node(0, { label: "outside", type: "MatMul" }),
  ];
  const tree = buildScopeTree(graph.build());
  const scope: ScopeTimes = {
    ...{ scope: layer, module: "Linear_0", calls: 1, forward_ns: 70, backward_ns: null, memory_bytes: null },
    operators: [{ type: "MatMul", time_ns: 60, count: 2 }],
    ...change,
  };
  return { times: new ProfiledTimes(tree, [scope]), layer, nodes, count: tree.scopeCount };
}

describe("times of a graph's items", () => {
  it("of an operation are those of its type in its scope, which all of them share", () => {
    const { times, nodes, layer, count } = joined();
    const [first, second, sum, weight, outside] = nodes as [number, number, number, number, number];
    expect(times.ofNode(first)).toEqual({ time: 60, count: 2, nodes: 2, module: "Linear_0" });
    for (const node of [sum, weight, outside]) expect(times.ofNode(node)).toBeNull();
    const all = times.times();
    expect([all[layer], all[count + first], all[count + second]]).toEqual([70, 30, 30]);
    for (const node of [sum, weight, outside]) expect(all[count + node]).toBeNaN();
  });

  it("of a scope are those of both passes, and none where neither is recorded", () => {
    expect(joined({ backward_ns: 5 }).times.times()[joined().layer]).toBe(75);
    expect(joined({ forward_ns: null }).times.times()[joined().layer]).toBeNaN();
    expect(joined().times.ofScope(joined().layer)).toMatchObject({ module: "Linear_0" });
    expect(joined().times.ofScope(0)).toBeNull();
  });

  it("are empty without scopes", () => {
    const tree = buildScopeTree(new GraphBuilder().build());
    expect(new ProfiledTimes(tree, []).isEmpty).toBe(true);
    expect(joined().times.isEmpty).toBe(false);
  });
});
