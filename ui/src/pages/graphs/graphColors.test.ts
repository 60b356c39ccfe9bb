// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from "vitest";

import { GraphBuilder, generatedModel } from "../../core/graphs/model/generatedGraph";
import { buildAdjacency } from "../../core/graphs/model/adjacency";
import { parameterSums } from "../../core/graphs/model/parameterHomes";
import { buildScopeTree } from "../../core/graphs/model/scopeTree";
import { scopeTotals } from "../../core/graphs/model/typeTable";
import { ROLE } from "../../core/graphs/model/structure";
import { ODD } from "../../core/graphs/model/overlay";
import { colorScale, overlayScale, STEPS } from "./graphColors";
import { firstScopes } from "./firstScopes";
import "./graphWords"; // texts of the scales

const structure = generatedModel(1000);
const tree = buildScopeTree(structure);
const drawn = new Uint8Array(tree.nodeCount).fill(1);
const scaleBy = (color: Parameters<typeof colorScale>[3]) =>
  colorScale(tree, { totals: scopeTotals(tree), parameters: parameterSums(tree, buildAdjacency(structure)).values() }, drawn, color);

describe("colors of a graph", () => {
  it("are equal for equal types and name every type", () => {
    const { of, entries } = scaleBy("type");
    const byType = new Map<number, Set<string | null>>();
    structure.type.forEach((type, node) => {
      if (structure.role[node] === 0) byType.set(type, (byType.get(type) ?? new Set()).add(of(tree.scopeCount + node)));
    });
    for (const colors of byType.values()) expect(colors.size).toBe(1);
    expect(entries.length).toBeGreaterThan(1);
    expect(of(0)).toBeNull();
  });

  it("by scope are those of the scope around", () => {
    const { of, entries } = scaleBy("scope");
    expect(entries.length).toBeGreaterThan(1);
    const colored = [...structure.scope.keys()].filter((node) => of(tree.scopeCount + node) !== null);
    expect(colored.length).toBeGreaterThan(tree.nodeCount / 3);
  });

  it("by bytes span the values that there are", () => {
    const { of, range } = scaleBy("bytes");
    expect(range![0]).toBeLessThanOrEqual(range![1]);
    expect(of(tree.scopeCount)).not.toBeNull();
  });
});

describe("colors by parameters", () => {
  it("show the scopes and the operations that read weights outside of all scopes", () => {
    const graph = new GraphBuilder();
    const [small, large, none] = ["small", "large", "none"].map((name) => graph.scope(name)) as [number, number, number];
    const [few, many] = [4, 4000].map((bytes) => graph.node(0, { label: "weight", role: ROLE.parameter, bytes })) as [number, number];
    const nodes = [small, large, none].map((scope) => graph.node(scope, { type: "MatMul" })) as [number, number, number];
    graph.edge(few, nodes[0]);
    graph.edge(many, nodes[1]);
    const built = graph.build();
    const scopes = buildScopeTree(built);
    const amounts = { totals: scopeTotals(scopes), parameters: parameterSums(scopes, buildAdjacency(built)).values() };
    const { of, range } = colorScale(scopes, amounts, new Uint8Array(scopes.nodeCount).fill(1), "parameters");
    expect(range).toEqual([1, 1000]);
    expect([small, large, none].map(of)).toEqual([STEPS[0], STEPS.at(-1), null]);
    expect(nodes.map((node) => of(scopes.scopeCount + node))).toEqual([STEPS[0], STEPS.at(-1), null]);
  });
});

describe("colors of what is recorded of weights", () => {
  it("keep values, 0, NaN and no value apart", () => {
    const value = Float64Array.of(Number.NaN, 1e-6, 10, 0, 5);
    const odd = Uint8Array.of(0, 0, 0, 0, ODD.infinite);
    const { of, mark, entries, range } = overlayScale({ value, odd, isEstimated: false }, [1e-6, 10]);
    const colors = [0, 1, 2, 3, 4].map(of);
    expect(colors.slice(1, 4)).toEqual([STEPS[0], STEPS.at(-1), STEPS[0]]);
    expect(new Set([colors[0], colors[1], colors[2], colors[4]]).size).toBe(4);
    expect([0, 1, 2, 3, 4].map((item) => mark!(item))).toEqual(["", "", "", "0", "Inf"]);
    expect(entries.map(({ name }) => name)).toEqual(["Inf", "0", "no value"]);
    expect(range).toEqual([1e-6, 10]);
  });

  it("have no scale without a value above 0", () => {
    const { of, range } = overlayScale({ value: Float64Array.of(0), odd: Uint8Array.of(ODD.nan), isEstimated: false }, null);
    expect([of(0), range]).toEqual([
      overlayScale({ value: Float64Array.of(1), odd: Uint8Array.of(1), isEstimated: false }, [1, 1]).of(0),
      null,
    ]);
  });
});

describe("the scopes that are open at first", () => {
  it("are few enough to read, with the scopes around them", () => {
    const open = firstScopes(tree, drawn);
    for (const scope of open) expect(tree.parent[scope] === 0 || open.includes(tree.parent[scope]!)).toBe(true);
    expect(open.length).toBeLessThan(32);
    expect(firstScopes(tree, new Uint8Array(tree.nodeCount))).toEqual([]);
  });
});
