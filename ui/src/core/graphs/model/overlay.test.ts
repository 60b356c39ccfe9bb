// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from "vitest";

import { buildAdjacency } from "./adjacency";
import { GraphBuilder } from "./generatedGraph";
import { NORM_STATE, ODD, OverlayItems, overlaySources, rowOfStep, sampledSteps, withStacks, type Norms } from "./overlay";
import { buildScopeTree } from "./scopeTree";
import { PART, ROLE } from "./structure";
import { WeightNames } from "./weightNames";

const graph = new GraphBuilder();
const [outer, inner] = [graph.scope("outer"), 2];
graph.scope("inner", outer);
const weight = graph.node(0, { label: "fc.weight", role: ROLE.parameter });
const bias = graph.node(0, { label: "fc.bias", role: ROLE.parameter });
const load = graph.node(0, { type: "Load", parts: PART.passThrough });
const [dense, after] = [graph.node(inner), graph.node(outer)];
graph.edge(weight, load);
graph.edge(load, dense);
graph.edge(bias, dense);
graph.edge(dense, after);
const structure = graph.build();
const tree = buildScopeTree(structure);
const names = new WeightNames(structure);
const tags = {
  scalar: ["loss", "grad_norm/fc.bias"],
  histogram: ["fc.weight/auto", "fc.bias/auto", "fc.weight.grad", "fc.bias.grad", "momentum/fc.bias"],
  tensor: ["fc.weight.grad"],
};
const node = (index: number): number => tree.scopeCount + index;

function norms(rows: Partial<Record<"norm" | "largest" | "nan" | "infinite" | "state", number[]>>, steps: number[]): Norms {
  const column = (name: keyof typeof rows): Float64Array => Float64Array.from(rows[name] ?? rows.norm!.map(() => 0));
  const state = Uint8Array.from(rows.state ?? rows.norm!.map(() => NORM_STATE.exact));
  const [norm, largest, nan, infinite] = [column("norm"), column("largest"), column("nan"), column("infinite")];
  return { steps, norm, largest, nan, infinite, state, recorded: Float64Array.from(steps) };
}

describe("what is recorded of weights, on the graph", () => {
  it("comes from one series for each weight, from norms before histograms before tensors", () => {
    const of = (overlay: Parameters<typeof overlaySources>[2]) => overlaySources(names, tags, overlay).map(({ kind, tag }) => [kind, tag]);
    expect(of("gradient_norm")).toEqual([
      ["scalar", "grad_norm/fc.bias"],
      ["histogram", "fc.weight.grad"],
    ]);
    expect(of("gradient_largest")).toEqual([
      ["histogram", "fc.weight.grad"],
      ["histogram", "fc.bias.grad"],
    ]);
    expect(of("parameter_norm")).toEqual([
      ["histogram", "fc.weight/auto"],
      ["histogram", "fc.bias/auto"],
    ]);
  });

  const sources = overlaySources(names, tags, "parameter_norm");
  const items = new OverlayItems(tree, buildAdjacency(structure), sources);

  it("sums squares for readers and scopes, and takes the largest", () => {
    const at = norms({ norm: [3, 6, 4, 8], largest: [1, 2, 7, 1] }, [0, 5]);
    const { value, odd } = items.at(at, 0, "parameter_norm");
    expect([weight, bias, dense, load].map((each) => value[node(each)])).toEqual([3, 4, 5, 3]);
    expect([value[inner], value[outer]]).toEqual([5, 5]);
    expect(value[node(after)]).toBeNaN();
    expect(odd.every((each) => each === 0)).toBe(true);
    expect(items.at(at, 1, "parameter_norm").value[outer]).toBe(10);
    expect(items.at(at, 0, "parameter_largest").value[outer]).toBe(7);
    expect(items.range(at, "parameter_norm")).toEqual([3, 10]);
  });

  it("keeps what is missing, zero and not finite apart", () => {
    const at = norms({ norm: [NaN, 0], nan: [2, 0], infinite: [1, 0], state: [NORM_STATE.estimated, NORM_STATE.exact] }, [0]);
    const { value, odd, isEstimated } = items.at(at, 0, "parameter_norm");
    expect([value[node(bias)], value[node(dense)]]).toEqual([0, 0]);
    expect(value[node(weight)]).toBeNaN();
    expect([odd[node(weight)], odd[node(bias)], odd[outer]]).toEqual([ODD.nan | ODD.infinite, 0, ODD.nan | ODD.infinite]);
    expect(isEstimated).toBe(true);
    expect(items.range(at, "parameter_norm")).toBeNull();
    const missing = norms({ norm: [0, 0], state: [NORM_STATE.missing, NORM_STATE.unreadable] }, [0]);
    expect(items.at(missing, 0, "parameter_norm").value.every(Number.isNaN)).toBe(true);
  });

  it("shows a folded stack with the values of all members", () => {
    const values = { value: Float64Array.of(NaN, 3, 4, NaN), odd: Uint8Array.of(0, 0, ODD.nan, 0), isEstimated: false };
    const stacks = new Map([[1, [1, 2, 3]]]);
    const { value, odd } = withStacks(values, stacks, true);
    expect([[...value], [...odd]]).toEqual([
      [NaN, 5, 4, NaN],
      [0, ODD.nan, ODD.nan, 0],
    ]);
    expect(withStacks(values, stacks, false).value[1]).toBe(4);
    expect(values.value[1]).toBe(3);
  });

  it("has steps to show and to sample", () => {
    const recorded = Float64Array.of(0, 5, 10, 15);
    expect([null, 4, 5, 99, -1].map((step) => rowOfStep(recorded, step))).toEqual([3, 0, 1, 3, 0]);
    expect(rowOfStep(new Float64Array(0), 3)).toBe(-1);
    expect(sampledSteps(recorded)).toEqual([0, 5, 10, 15]);
    const many = sampledSteps(Float64Array.from({ length: 1000 }, (_, step) => step));
    expect([many.length, many[0], many.at(-1)]).toEqual([8, 0, 999]);
    expect(sampledSteps([])).toEqual([]);
  });
});
