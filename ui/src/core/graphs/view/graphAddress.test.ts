// SPDX-License-Identifier: Apache-2.0
import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { GraphBuilder } from "../model/generatedGraph";
import { buildScopeTree } from "../model/scopeTree";
import { readItem, readScopes, writeItem, writeScopes } from "./graphAddress";

const names = fc.array(fc.tuple(fc.nat(), fc.constantFrom("a", "b", "", "x(y)", "1,2", "~t", "c*1", "d'", "e/f", '<"层">')), {
  maxLength: 20,
});

const trees = names.map((seeds) => {
  const graph = new GraphBuilder();
  const scopes = [0];
  for (const [seed, name] of seeds) scopes.push(graph.scope(name, scopes[seed % scopes.length]!));
  for (const scope of scopes) graph.node(scope, { label: "a" });
  return buildScopeTree(graph.build());
});

describe("the address of a graph", () => {
  it("gives the same open scopes back", () => {
    fc.assert(
      fc.property(trees, fc.array(fc.nat(20)), (tree, seeds) => {
        const open = new Set(seeds.map((seed) => seed % tree.scopeCount).filter((scope) => scope > 0));
        expect(readScopes(tree, writeScopes(tree, open))).toEqual(open);
      }),
    );
  });

  it("gives every item back", () => {
    fc.assert(
      fc.property(trees, (tree) => {
        for (let item = 1; item < tree.parent.length; item++) expect(readItem(tree, writeItem(tree, item))).toBe(item);
      }),
    );
  });

  it("is short", () => {
    const graph = new GraphBuilder();
    const model = graph.scope("model");
    const layers = graph.scope("layers", model);
    const [first, second] = [graph.scope("0", layers), graph.scope("1", layers)];
    const tree = buildScopeTree(graph.build());
    expect(writeScopes(tree, new Set([model, layers, first, second]))).toBe("model(layers(0,1))");
    expect(writeScopes(tree, new Set([second]))).toBe("model'(layers'(1))");
    expect(writeItem(tree, second)).toBe("model/layers/1");
  });

  it("takes any text", () => {
    fc.assert(
      fc.property(trees, fc.string(), (tree, text) => {
        for (const scope of readScopes(tree, text)) expect(scope).toBeGreaterThan(0);
        expect(readItem(tree, text)).toBeLessThan(tree.parent.length);
      }),
    );
  });

  it("takes a depth of 1,000", () => {
    const graph = new GraphBuilder();
    let scope = 0;
    for (let depth = 0; depth < 1000; depth++) scope = graph.scope("s", scope);
    const tree = buildScopeTree(graph.build());
    const all = new Set(Array.from({ length: 1000 }, (_, index) => index + 1));
    expect(readScopes(tree, writeScopes(tree, all))).toEqual(all);
  });
});
