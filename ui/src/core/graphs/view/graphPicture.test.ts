// SPDX-License-Identifier: Apache-2.0
import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { DRAWING } from "../layout/layoutInput";
import { graphFromNumbers } from "../model/arbitraries";
import { GraphBuilder, generatedModel } from "../model/generatedGraph";
import { buildScopeTree, itemLabel } from "../model/scopeTree";
import { ROLE, type GraphStructure } from "../model/structure";
import { DEFAULT_GRAPH_OPTIONS, type GraphOptions } from "./graphOptions";
import { frameOrigin, GraphPictures, visibleBox, type Frame, type GraphPicture } from "./graphPicture";

const numbers = fc.array(fc.nat(100_000), { maxLength: 40 });
const graphs = fc.tuple(numbers, numbers, numbers).map(([scopes, nodes, edges]) => graphFromNumbers(scopes, nodes, edges));
const openings = fc.uniqueArray(fc.nat(40), { maxLength: 20 });

const pictures = (structure: GraphStructure, options: Partial<GraphOptions> = {}): GraphPictures =>
  new GraphPictures(buildScopeTree(structure), { ...DEFAULT_GRAPH_OPTIONS, joinsSingle: false, ...options });

const closed = { open: new Set<number>(), unfolded: new Set<number>() };
const opened = (...open: number[]) => ({ open: new Set(open), unfolded: new Set<number>() });
const allScopes = (structure: GraphStructure) => opened(...structure.scope_parent.keys());
const labels = (picture: GraphPicture, frame: Frame): string[] => Array.from(frame.items.item, (item) => itemLabel(picture.tree, item));

describe("a picture", () => {
  it("bundles every flow of an open scope once, with all bytes", () => {
    fc.assert(
      fc.property(graphs, openings, (structure, open) => {
        const all = pictures(structure);
        for (const frame of all.picture(opened(...open)).frames.values()) {
          const content = all.scopeFlows.content(frame.scope);
          const { count, bytes, flows, isControl, source, target } = frame.items.bundles;
          expect(count.reduce((sum, value) => sum + value, 0)).toBe(content.inner.length + content.border.length);
          expect([...flows.members].sort((a, b) => a - b)).toEqual([...content.inner, ...content.border].sort((a, b) => a - b));
          const want = flows.members.reduce((sum, flow) => sum + all.scopeFlows.flows.bytes[flow]!, 0);
          expect(bytes.reduce((sum, value) => sum + value, 0)).toBe(want);
          for (let bundle = 0; bundle < count.length; bundle++)
            for (let slot = flows.start[bundle]!; slot < flows.start[bundle + 1]!; slot++)
              expect(all.scopeFlows.flows.isControl[flows.members[slot]!]).toBe(isControl[bundle]);
          const ends = Array.from(source, (from, bundle) => `${from} ${target[bundle]} ${isControl[bundle]}`);
          expect(new Set(ends).size).toBe(ends.length);
        }
      }),
    );
  });

  it("keeps boxes inside of the box that contains them", () => {
    fc.assert(
      fc.property(graphs, openings, (structure, open) => {
        const picture = pictures(structure).picture(opened(...open));
        for (const frame of picture.frames.values())
          for (const [box, inner] of frame.inner) {
            expect(frame.layout.boxes.width[box]).toBe(inner.layout.width);
            expect(frame.layout.boxes.height[box]).toBe(inner.layout.height);
            const { x, y, width, height } = inner.layout.boxes;
            for (let child = 0; child < x.length; child++) {
              expect(x[child]! >= 0 && x[child]! + width[child]! <= inner.layout.width).toBe(true);
              expect(y[child]! >= 0 && y[child]! + height[child]! <= inner.layout.height).toBe(true);
            }
          }
      }),
    );
  });

  it("keeps the order of the boxes around a scope that opens, and the frames beside it", () => {
    fc.assert(
      fc.property(graphs, openings, fc.nat(40), (structure, open, next) => {
        const all = pictures(structure);
        const before = all.picture(opened(...open));
        const after = all.picture(opened(...open, next));
        for (const [scope, frame] of before.frames) {
          const kept = after.frames.get(scope)!;
          expect([...kept.items.item]).toEqual([...frame.items.item]);
          const { x, y } = frame.layout.boxes;
          for (let a = 0; a < x.length; a++)
            for (let b = 0; b < x.length; b++) {
              const isRow = y[a] === y[b] && kept.layout.boxes.y[a] === kept.layout.boxes.y[b];
              if (isRow && x[a]! < x[b]!) expect(kept.layout.boxes.x[a]).toBeLessThan(kept.layout.boxes.x[b]!);
            }
        }
        expect(all.picture(opened(...open, next)).root).toBe(after.root);
      }),
    );
  });

  it("shows a scope where its origin says, and finds the box of a hidden item", () => {
    fc.assert(
      fc.property(graphs, openings, (structure, open) => {
        const picture = pictures(structure, { stackFrom: Infinity }).picture(opened(...open));
        for (const scope of picture.frames.keys()) {
          if (scope === 0) continue;
          const { frame, box } = visibleBox(picture, scope)!;
          const outer = frameOrigin(picture, frame.scope);
          const inner = frameOrigin(picture, scope);
          expect(inner.x).toBe(outer.x + frame.layout.boxes.x[box]!);
          expect(inner.y).toBe(outer.y + frame.layout.boxes.y[box]!);
        }
      }),
    );
  });
});

describe("an edge that closes a cycle", () => {
  it("enters and leaves open boxes at their ports, past other boxes", () => {
    const graph = new GraphBuilder();
    const [first, second] = [graph.scope("first"), graph.scope("second")];
    const [a, b, beside] = [graph.node(first), graph.node(second), graph.node(0)];
    graph.edge(a, b);
    graph.edge(b, a);
    graph.edge(a, beside);
    const { root } = pictures(graph.build()).picture(opened(first, second));
    const { layout, items, inner } = root;
    const edge = layout.isReversed.indexOf(1);
    const at = (point: number): [number, number] => [layout.routes.points[2 * point]!, layout.routes.points[2 * point + 1]!];
    const [source, target] = [items.bundles.source[edge]!, items.bundles.target[edge]!];
    const { x, y, width, height } = layout.boxes;
    const [output, input] = [inner.get(source)!, inner.get(target)!];
    const outputAt = output.items.ports.inputs;
    expect(at(layout.routes.start[edge]!)).toEqual([x[source]! + output.layout.portX[outputAt]!, y[source]! + height[source]!]);
    expect(at(layout.routes.start[edge + 1]! - 1)).toEqual([x[target]! + input.layout.portX[0]!, y[target]!]);
    for (let point = layout.routes.start[edge]!; point < layout.routes.start[edge + 1]!; point++)
      for (let box = 0; box < x.length; box++) {
        const [left, top] = at(point);
        const isInside = left > x[box]! && left < x[box]! + width[box]! && top > y[box]! && top < y[box]! + height[box]!;
        expect(isInside).toBe(false);
      }
  });
});

describe("stacks", () => {
  const blocks = () => {
    const graph = new GraphBuilder();
    let last = graph.node(0, { label: "input" });
    const scopes = [...Array(24).keys()].map((index) => graph.scope(`${index}`, 0, 1));
    for (const scope of scopes) {
      const node = graph.node(scope);
      graph.edge(last, node);
      last = node;
    }
    graph.edge(last, graph.node(0, { label: "output" }));
    return { structure: graph.build(), scopes };
  };

  it("fold equal siblings, with the edges between them as a loop", () => {
    const { root } = pictures(blocks().structure).picture(closed);
    expect([...root.items.stackSize]).toEqual([1, 24, 1]);
    expect([...root.items.bundles.count]).toEqual([1, 23, 1]);
    expect([...root.layout.drawing]).toEqual([DRAWING.routed, DRAWING.loop, DRAWING.routed]);
  });

  it("open as their first member, or unfold", () => {
    const { structure, scopes } = blocks();
    const all = pictures(structure);
    expect(all.picture(opened(scopes[0]!)).root.inner.size).toBe(1);
    expect(all.picture(opened(scopes[5]!)).root.inner.size).toBe(0);
    const unfolded = all.picture({ open: new Set([scopes[5]!]), unfolded: new Set([scopes[0]!]) });
    expect(unfolded.root.items.item.length).toBe(26);
    expect([...unfolded.root.items.stack.slice(1, 25)]).toEqual(Array(24).fill(scopes[0]));
    expect([...unfolded.root.inner.keys()]).toEqual([6]);
  });

  /** A chain of scopes with these structures. */
  const chain = (...classes: number[]) => {
    const graph = new GraphBuilder();
    let last = graph.node(0);
    const scopes = classes.map((structureClass, index) => graph.scope(`${index}`, 0, structureClass));
    for (const scope of scopes) {
      const node = graph.node(scope);
      graph.edge(last, node);
      last = node;
    }
    return { structure: graph.build(), scopes };
  };

  it("fold blocks that repeat in turns, and unfold them together", () => {
    const { structure, scopes } = chain(1, 2, 1, 2, 1, 2, 1, 2, 1, 2);
    const all = pictures(structure);
    const { items, layout } = all.picture(closed).root;
    expect([...items.stackSize].sort()).toEqual([1, 5, 5]);
    expect([...layout.isReversed].filter((isReversed) => isReversed === 1)).toHaveLength(1);
    const unfolded = all.picture({ open: new Set(), unfolded: new Set([scopes[0]!]) }).root.items;
    expect([...unfolded.stack].sort()).toEqual([...Array(10).fill(scopes[0]!), -1].sort());
    const { state } = { state: all.reveal(closed, scopes[7]!) };
    expect([...state.unfolded]).toEqual([scopes[0]]);
  });

  it("fold blocks that repeat in turns where the last turn is incomplete", () => {
    const { structure } = chain(1, 2, 3, 1, 2, 3, 1, 2, 3, 1);
    expect([...pictures(structure).picture(closed).root.items.stackSize].sort()).toEqual([1, 3, 3, 4]);
  });

  it.each([[[1, 2, 1, 2, 1]], [[1, 1, 2, 1, 2, 2]], [[1, 0, 1, 0, 1]]])("do not fold blocks that other blocks separate: %j", (classes) => {
    expect(pictures(chain(...classes).structure).picture(closed).root.items.item.length).toBe(classes.length + 1);
  });
});

describe("the border of an open scope", () => {
  it("has a port for each neighbor, and edges meet there", () => {
    const graph = new GraphBuilder();
    const [outer, inner] = [graph.scope("outer"), graph.scope("other")];
    const deep = graph.scope("deep", outer);
    const [a, b] = [graph.node(0), graph.node(0)];
    const [c, d] = [graph.node(deep), graph.node(inner)];
    graph.edge(a, c);
    graph.edge(b, c);
    graph.edge(c, d);
    const picture = pictures(graph.build()).picture(opened(outer, deep));
    const frames = [outer, deep].map((scope) => picture.frames.get(scope)!);
    for (const frame of frames) {
      expect([frame.items.ports.inputs, frame.items.ports.outputs]).toEqual([2, 1]);
      const neighbors = Array.from(frame.items.ports.neighbor, (item) => itemLabel(picture.tree, item));
      expect(neighbors).toEqual(["op0", "op1", "other"]);
    }
    const { routes } = picture.root.layout;
    const box = visibleBox(picture, outer)!.box;
    const entries = [0, 1].map((bundle) => routes.points[2 * routes.start[bundle + 1]! - 2]! - picture.root.layout.boxes.x[box]!);
    for (const x of entries) expect([...frames[0]!.layout.portX].some((port) => Math.abs(port - x) < 1e-6)).toBe(true);
  });

  it("joins many neighbors in one port", () => {
    const graph = new GraphBuilder();
    const scope = graph.scope("scope");
    const node = graph.node(scope);
    for (let index = 0; index < 100; index++) graph.edge(graph.node(0), node);
    const frame = pictures(graph.build()).picture(opened(scope)).frames.get(scope)!;
    expect(frame.items.ports.inputs).toBe(16);
    expect(frame.items.ports.neighbor.at(-1)).toBe(-1);
    expect(frame.items.bundles.count.at(-1)).toBe(85);
  });
});

describe("equal blocks", () => {
  it("are laid out once", () => {
    const structure = generatedModel(10_000);
    const all = pictures(structure, { stackFrom: Infinity });
    const picture = all.picture(allScopes(structure));
    const layouts = new Set([...picture.frames.values()].map((frame) => frame.layout));
    expect(picture.frames.size).toBeGreaterThan(100);
    expect(layouts.size).toBeLessThan(picture.frames.size / 2);
  });
});

describe("an arranged picture", () => {
  it("has sensible proportions with everything open, and keeps its columns when a scope closes", () => {
    const structure = generatedModel(10_000);
    const all = pictures(structure, { stackFrom: Infinity });
    const everything = allScopes(structure);
    const { width, height } = all.picture(everything, true).root.layout;
    expect(height / width).toBeLessThan(4);
    expect(width / height).toBeLessThan(4);
    const layers = structure.scope_label.findIndex((label) => structure.texts[label] === "layers");
    const rows = () => new Set(all.picture(everything).frames.get(layers)!.layout.boxes.y).size;
    const before = rows();
    everything.open.delete(structure.scope_label.findIndex((label) => structure.texts[label] === "stage_0"));
    expect(rows()).toBe(before);
  });

  it("keeps boxes apart and inside, whatever is open", () => {
    fc.assert(
      fc.property(graphs, openings, openings, (structure, open, later) => {
        const all = pictures(structure);
        all.picture(opened(...open), true);
        for (const frame of all.picture(opened(...open, ...later)).frames.values()) {
          const { x, y, width, height } = frame.layout.boxes;
          for (let a = 0; a < x.length; a++) {
            expect(x[a]! >= 0 && x[a]! + width[a]! <= frame.layout.width && y[a]! + height[a]! <= frame.layout.height).toBe(true);
            for (let b = 0; b < a; b++)
              expect(
                x[a]! < x[b]! + width[b]! && x[b]! < x[a]! + width[a]! && y[a]! < y[b]! + height[b]! && y[b]! < y[a]! + height[a]!,
              ).toBe(false);
          }
        }
      }),
    );
  });
});

describe("any graph", () => {
  it("may be empty, one node, or scopes in one another", () => {
    expect(pictures(new GraphBuilder().build()).picture(closed).root.items.item.length).toBe(0);
    const one = new GraphBuilder();
    one.node(0);
    expect(pictures(one.build()).picture(closed).root.items.item.length).toBe(1);
  });

  it("opens a depth of 1,000 scopes with one child each", () => {
    const graph = new GraphBuilder();
    let scope = 0;
    const outside = graph.node(0);
    for (let depth = 0; depth < 1000; depth++) scope = graph.scope(`${depth}`, scope);
    const node = graph.node(scope);
    graph.edge(outside, node);
    const structure = graph.build();
    const picture = pictures(structure).picture(allScopes(structure));
    expect(picture.frames.size).toBe(1001);
    expect(visibleBox(picture, picture.tree.scopeCount + node)!.frame.scope).toBe(1000);
  });

  it("takes a node with 20,000 neighbors and a scope of 5,000 children", () => {
    const graph = new GraphBuilder();
    const hub = graph.node(0, { label: "hub" });
    for (let index = 0; index < 20_000; index++) graph.edge(hub, graph.node(0));
    const wide = graph.scope("wide");
    for (let index = 0; index < 5000; index++) graph.edge(hub, graph.node(wide));
    const picture = pictures(graph.build()).picture(opened(wide));
    expect(picture.root.layout.drawing.every((drawing) => drawing === DRAWING.hidden)).toBe(true);
    expect(picture.root.layout.width / picture.root.layout.height).toBeLessThan(4);
  });

  it("lists parameters in their consumer, or draws them", () => {
    const graph = new GraphBuilder();
    const weight = graph.node(0, { label: "weight", role: ROLE.parameter });
    graph.edge(weight, graph.node(0, { label: "dense" }));
    const structure = graph.build();
    const consumer = pictures(structure).picture(closed);
    expect(labels(consumer, consumer.root)).toEqual(["dense"]);
    expect([...consumer.root.items.rows]).toEqual([1]);
    const node = pictures(structure, { parameters: "node" }).picture(closed);
    expect(labels(node, node.root)).toEqual(["weight", "dense"]);
  });
});
