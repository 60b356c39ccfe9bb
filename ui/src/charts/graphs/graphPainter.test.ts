// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from "vitest";

import { GraphBuilder } from "../../core/graphs/model/generatedGraph";
import { buildScopeTree, itemLabel } from "../../core/graphs/model/scopeTree";
import { ROLE } from "../../core/graphs/model/structure";
import { DEFAULT_GRAPH_OPTIONS } from "../../core/graphs/view/graphOptions";
import { GraphPictures, type GraphPicture } from "../../core/graphs/view/graphPicture";
import { SvgContext } from "../frame/svgContext";
import { paintGraphArea } from "./graphPainter";
import type { GraphLook } from "./graphPainting";
import { paintMoves } from "./paintMoves";

function blocks(isOpen: boolean): GraphPicture {
  const graph = new GraphBuilder();
  const block = graph.scope("block");
  const [first, second, last] = [
    graph.node(0, { label: "first" }),
    graph.node(block, { label: "inside" }),
    graph.node(0, { label: "last" }),
  ];
  graph.edge(first, second);
  graph.edge(second, last, true);
  const pictures = new GraphPictures(buildScopeTree(graph.build()), { ...DEFAULT_GRAPH_OPTIONS, joinsSingle: false });
  return pictures.picture({ open: new Set(isOpen ? [block] : []), unfolded: new Set() });
}

function drawn(picture: GraphPicture, look: Partial<GraphLook> = {}, scale = 1): string {
  const surface = new SvgContext();
  const whole: GraphLook = {
    label: (item) => itemLabel(picture.tree, item),
    rows: () => [],
    ports: () => 0,
    color: () => null,
    badge: () => "",
    selected: -1,
    isHit: () => false,
    highlight: null,
    ...look,
  };
  paintGraphArea(surface, (color) => color, picture, { x: 0, y: 0, scale }, { width: 1000, height: 1000 }, whole);
  return surface.body();
}

/** Filled texts; halos are outlines. */
const textsOf = (svg: string): string[] =>
  [...svg.replace(/<g fill="none"[^>]*>.*?<\/g>/g, "").matchAll(/<text[^>]*>([^<]*)</g)].map(([, text]) => text!);

describe("the painter of graphs", () => {
  it("writes the names of all boxes and of the open scope", () => {
    expect(textsOf(drawn(blocks(false)))).toEqual(["first", "block", "+", "last"]);
    expect(textsOf(drawn(blocks(true)))).toEqual(["first", "last", "inside", "block", "−"]);
  });

  it("points each edge at its target, and at an open one only when the edge does not continue inside", () => {
    const tips = (svg: string): number => svg.match(/Z/g)?.length ?? 0;
    expect(tips(drawn(blocks(false)))).toBe(2);
    expect(tips(drawn(blocks(true)))).toBe(2);
    const graph = new GraphBuilder();
    const block = graph.scope("block");
    const [inside, outside] = [graph.node(block), graph.node(0)];
    graph.edge(inside, outside);
    graph.edge(outside, inside);
    const pictures = new GraphPictures(buildScopeTree(graph.build()), { ...DEFAULT_GRAPH_OPTIONS, joinsSingle: false });
    expect(tips(drawn(pictures.picture({ open: new Set([block]), unfolded: new Set() })))).toBe(2);
  });

  it("marks parameters that are ports", () => {
    const ports = (count: number): number => drawn(blocks(false), { ports: () => count }).match(/h5v5h-5z/g)?.length ?? 0;
    expect([ports(0), ports(2), ports(99)]).toEqual([0, 6, 12]);
  });

  it("shrinks a name so that it fits before it cuts it", () => {
    const graph = new GraphBuilder();
    graph.node(0, { label: "a_name_of_some_length" });
    const pictures = new GraphPictures(buildScopeTree(graph.build()), { ...DEFAULT_GRAPH_OPTIONS, joinsSingle: false });
    const picture = pictures.picture({ open: new Set(), unfolded: new Set() });
    for (const scale of [3, 1, 0.8, 0.7, 0.6]) expect(textsOf(drawn(picture, {}, scale))).toEqual(["a_name_of_some_length"]);
  });

  it("draws the edges of a grid for the selected box only", () => {
    const graph = new GraphBuilder();
    const nodes = Array.from({ length: 3000 }, () => graph.node(0));
    for (let index = 1; index < nodes.length; index++) graph.edge(nodes[index - 1]!, nodes[index]!);
    const pictures = new GraphPictures(buildScopeTree(graph.build()), { ...DEFAULT_GRAPH_OPTIONS, joinsSingle: false });
    const picture = pictures.picture({ open: new Set(), unfolded: new Set() });
    const lines = (selected: number): number => drawn(picture, { selected }).match(/M[\d.]+ [\d.]+L/g)?.length ?? 0;
    expect([lines(-1), lines(picture.root.items.item[1]!)]).toEqual([0, 2]);
  });

  it("dashes control edges only", () => {
    const svg = drawn(blocks(false));
    expect(svg.match(/stroke-dasharray="4 3"/g)?.length).toBe(1);
    expect(svg.match(/stroke="var\(--ink-soft\)"/g)?.length).toBe(1);
  });

  it("leaves out letters that are too small, and keeps names of scopes in sight", () => {
    expect(textsOf(drawn(blocks(true), {}, 0.2))).toEqual([]);
    expect(textsOf(drawn(blocks(true), {}, 0.5))).toContain("block");
  });

  it("fades what is not highlighted and outlines what is selected or found", () => {
    const picture = blocks(false);
    const plain = drawn(picture);
    expect(plain).not.toContain('fill-opacity="0.25"');
    expect(drawn(picture, { highlight: { box: () => false, edge: () => false } })).toContain('fill-opacity="0.25"');
    expect(plain).not.toContain("var(--warn)");
    expect(drawn(picture, { isHit: () => true })).toContain('stroke="var(--warn)" stroke-width="2"');
    expect(drawn(picture, { selected: picture.root.items.item[0]! })).toContain('stroke="var(--accent)" stroke-width="2"');
  });

  it("paints nothing of what is outside of the screen", () => {
    const surface = new SvgContext();
    const picture = blocks(true);
    const look = {
      label: () => "name",
      rows: () => [],
      ports: () => 0,
      color: () => null,
      badge: () => "",
      selected: -1,
      isHit: () => false,
      highlight: null,
    };
    paintGraphArea(surface, (color) => color, picture, { x: -9000, y: 0, scale: 1 }, { width: 1000, height: 1000 }, look);
    expect(surface.body()).toBe("");
  });

  it("lists parameters under the name, and counts what has no room", () => {
    const graph = new GraphBuilder();
    const reader = graph.node(0, { label: "reader" });
    for (let index = 0; index < 6; index++) graph.edge(graph.node(0, { label: `w${index}`, role: ROLE.parameter }), reader);
    const picture = new GraphPictures(buildScopeTree(graph.build()), { ...DEFAULT_GRAPH_OPTIONS, joinsSingle: false }).picture({
      open: new Set(),
      unfolded: new Set(),
    });
    const rows = [0, 1, 2, 3, 4, 5].map((index) => `w${index}`);
    expect(textsOf(drawn(picture, { rows: () => rows }))).toEqual(["reader", "w0", "w1", "w2", "+3"]);
    const long = textsOf(drawn(picture, { rows: () => ["embedding_table_of_the_first_layer 1000×64"] }, 0.6));
    expect(long).toEqual(["reader", expect.stringMatching(/^em.*….*×64$/) as string]);
    const modules = ["fc1: Linear layer", "fc2: Linear layer"].map((name) =>
      textsOf(drawn(picture, { label: () => name + "s".repeat(40) }, 0.6)),
    );
    expect(modules).toEqual([[expect.stringMatching(/^fc1.*…s+$/) as string], [expect.stringMatching(/^fc2.*…s+$/) as string]]);
    const narrow = textsOf(drawn(picture, { label: () => "很长很长的名称" + "的".repeat(99) }, 0.6));
    expect(narrow).toEqual([expect.stringMatching(/^很.*….*的$/) as string]);
  });
});

describe("boxes on their way", () => {
  it("start at their old places and end at their new ones", () => {
    const moves = {
      item: Int32Array.of(1, 2),
      from: Float64Array.of(0, 0, 10, 10, 0, 0, 20, 20),
      to: Float64Array.of(100, 0, 10, 10, 0, 50, 20, 20),
      isNew: Uint8Array.of(0, 1),
      isGone: Uint8Array.of(0, 0),
    };
    const look = { color: () => "red" } as unknown as GraphLook;
    const at = (part: number): string => {
      const surface = new SvgContext();
      paintMoves(surface, (color) => color, moves, look, part);
      return surface.body();
    };
    expect(at(0)).toContain('d="M0 0h10v10h-10z" fill="red"');
    expect(at(0)).toContain('fill-opacity="0"');
    expect(at(0.5)).toContain('d="M50 0h10v10h-10z" fill="red"');
    expect(at(1)).toContain('d="M0 50h20v20h-20z" fill="red"/>');
  });
});
