// SPDX-License-Identifier: Apache-2.0
import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { GraphBuilder, generatedModel } from "./generatedGraph";
import { buildScopeTree, itemLabel, scopesAbove } from "./scopeTree";
import { countBelow, GraphSearch, MATCH, MATCH_ANY } from "./search";

const structure = generatedModel(2000);
const tree = buildScopeTree(structure);
const search = new GraphSearch(tree);
const plain = (text: string, fields = MATCH_ANY) => search.search({ text, isRegex: false, fields });
const regex = (text: string) => search.search({ text, isRegex: true, fields: MATCH.label });
const labelsOf = (nodes: Int32Array) => Array.from(nodes, (node) => structure.texts[structure.label[node]!]!);

describe("a search", () => {
  it("finds each node whose text contains the query, in any case", () => {
    fc.assert(
      fc.property(fc.constantFrom("op1", "WEIGHT", "matmul", "float", "1024 X", "nothing"), (text) => {
        const want = [...structure.scope.keys()].filter((node) =>
          [structure.label, structure.type, structure.shape, structure.dtype].some((column) =>
            structure.texts[column[node]!]!.toLowerCase().includes(text.toLowerCase()),
          ),
        );
        expect([...plain(text).nodes].sort((a, b) => a - b)).toEqual(want);
      }),
    );
  });

  it("says which field matched, and counts the hits below each scope", () => {
    const found = plain("matmul");
    expect([...found.matches].every((bits) => bits === MATCH.type)).toBe(true);
    expect(found.below[0]).toBe(found.nodes.length);
    for (let scope = 0; scope < tree.scopeCount; scope++)
      expect(found.below[scope]).toBe([...found.nodes].filter((node) => scopesAbove(tree, tree.scopeCount + node).includes(scope)).length);
    expect(countBelow(tree, []).every((count) => count === 0)).toBe(true);
  });

  it("finds a node by the name of its tensor", () => {
    const graph = new GraphBuilder();
    const node = graph.node(graph.scope("fc"), { label: "Gemm", tensor: "/fc/Gemm_output_0" });
    graph.node(0, { label: "Relu" });
    const own = new GraphSearch(buildScopeTree(graph.build()));
    for (const text of ["gemm_OUTPUT", "/fc/Gemm_output_0"])
      expect([...own.search({ text, isRegex: false, fields: MATCH_ANY }).nodes]).toEqual([node]);
  });

  it("searches paths when the query has a slash, and finds scopes", () => {
    const found = plain("layers/7/stage_0");
    expect(found.nodes.length).toBeGreaterThan(10);
    for (const node of found.nodes) {
      const path = scopesAbove(tree, tree.scopeCount + node).map((scope) => itemLabel(tree, scope));
      expect(path.slice(2, 5)).toEqual(["layers", "7", "stage_0"]);
    }
    expect(Array.from(plain("wide").scopes, (scope) => itemLabel(tree, scope))).toEqual(["wide_100"]);
  });

  it("finds attributes once they are there", () => {
    const own = new GraphSearch(tree);
    const found = (text: string, isRegex = false) =>
      [...own.search({ text, isRegex, fields: MATCH.attribute }).nodes].sort((a, b) => a - b);
    expect(found("pad")).toEqual([]);
    own.setAttributes({
      texts: ["pad_mode=Same", "kernel_size=[3, 3]", "pad_mode=valid"],
      node: Int32Array.of(2, 2, 5, 9),
      text: Int32Array.of(0, 1, 2, 1),
    });
    expect(found("PAD_MODE=")).toEqual([2, 5]);
    expect(found("^kernel_size=\\[3", true)).toEqual([2, 9]);
    const { nodes, matches } = own.search({ text: "pad_mode=same", isRegex: false, fields: MATCH_ANY | MATCH.attribute });
    expect([[...nodes], [...matches]]).toEqual([[2], [MATCH.attribute]]);
    expect(own.search({ text: "pad_mode", isRegex: false, fields: MATCH_ANY }).nodes.length).toBe(0);
  });

  it("takes regular expressions and refuses those that are invalid or slow", () => {
    expect(labelsOf(regex("^residual$").nodes)).toEqual(Array(24).fill("residual"));
    expect(regex("(").problem).toBe("invalid_pattern");
    expect(regex("(a+)+$").problem).toBe("slow_pattern");
    expect(plain("").nodes.length).toBe(0);
  });

  it("takes names with every character", () => {
    const graph = new GraphBuilder();
    graph.node(graph.scope('<"层">'), { label: "a/b<c>" });
    const hostile = new GraphSearch(buildScopeTree(graph.build()));
    for (const text of ["a/b<c>", '<"层">/a', "层"]) {
      const found = hostile.search({ text, isRegex: false, fields: MATCH_ANY });
      expect(found.nodes.length + found.scopes.length).toBe(1);
    }
  });
});
