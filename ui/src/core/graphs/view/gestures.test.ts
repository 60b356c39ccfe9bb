// SPDX-License-Identifier: Apache-2.0
import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { graphFromNumbers } from "../model/arbitraries";
import { GraphBuilder, generatedModel } from "../model/generatedGraph";
import { buildScopeTree } from "../model/scopeTree";
import { itemAt } from "./arrowKeys";
import { DEFAULT_GRAPH_OPTIONS } from "./graphOptions";
import { frameOrigin, GraphPictures, visibleBox, type GraphPicture } from "./graphPicture";
import { hitTest } from "./hitTest";
import { minimap } from "./minimap";
import { closeScope, openScopes, scopesAlike, scopesToDepth, toggleStack } from "./openState";
import { boxMoves, cornerOf, keepInPlace } from "./transition";
import { visibleParts } from "./visibleParts";

const numbers = fc.array(fc.nat(100_000), { maxLength: 40 });
const graphs = fc.tuple(numbers, numbers, numbers).map(([scopes, nodes, edges]) => graphFromNumbers(scopes, nodes, edges));
const openings = fc.uniqueArray(fc.nat(40), { maxLength: 20 });
const nothing = { open: new Set<number>(), unfolded: new Set<number>() };
const picturesOf = (structure: Parameters<typeof buildScopeTree>[0]) =>
  new GraphPictures(buildScopeTree(structure), { ...DEFAULT_GRAPH_OPTIONS, joinsSingle: false });
const everything = { left: -Infinity, top: -Infinity, right: Infinity, bottom: Infinity };
const pictureCases = fc
  .tuple(graphs, openings)
  .map(([structure, open]): GraphPicture => picturesOf(structure).picture(openScopes(nothing, open)));

describe("the visible parts", () => {
  it("are all boxes and edges when all is in the area", () => {
    fc.assert(
      fc.property(pictureCases, (picture) => {
        const parts = visibleParts(picture, everything, 1);
        const frames = [...picture.frames.values()];
        expect(new Set(parts.frames)).toEqual(new Set(frames));
        expect(parts.box.length).toBe(frames.reduce((sum, frame) => sum + frame.items.item.length, 0));
        parts.frames.forEach((frame, index) =>
          expect({ x: parts.originX[index], y: parts.originY[index] }).toEqual(frameOrigin(picture, frame.scope)),
        );
      }),
    );
  });

  it("are the boxes that meet an area", () => {
    fc.assert(
      fc.property(pictureCases, fc.nat(500), fc.nat(500), (picture, left, top) => {
        const area = { left, top, right: left + 200, bottom: top + 200 };
        const [all, some] = [visibleParts(picture, everything, 1), visibleParts(picture, area, 1)];
        const keys = (parts: typeof all, isIn: (index: number) => boolean) =>
          [...parts.box.keys()].filter(isIn).map((index) => `${parts.frames[parts.boxFrame[index]!]!.scope} ${parts.box[index]}`);
        const want = keys(all, (index) => {
          const { boxes } = all.frames[all.boxFrame[index]!]!.layout;
          const x = all.originX[all.boxFrame[index]!]! + boxes.x[all.box[index]!]!;
          const y = all.originY[all.boxFrame[index]!]! + boxes.y[all.box[index]!]!;
          return (
            x <= area.right && y <= area.bottom && x + boxes.width[all.box[index]!]! >= left && y + boxes.height[all.box[index]!]! >= top
          );
        });
        expect(keys(some, () => true)).toEqual(want);
      }),
    );
  });

  it("do not contain the inside of a scope that is a few pixels wide", () => {
    const structure = generatedModel(1000);
    const pictures = picturesOf(structure);
    const picture = pictures.picture(openScopes(nothing, scopesToDepth(pictures.tree, 3)));
    expect(visibleParts(picture, everything, 1).frames.length).toBeGreaterThan(3);
    expect(visibleParts(picture, everything, 0.001).frames.length).toBe(1);
  });
});

describe("the hit test", () => {
  it("finds each box at its center, or the header of an open one", () => {
    fc.assert(
      fc.property(pictureCases, (picture) => {
        for (const frame of picture.frames.values()) {
          const origin = frameOrigin(picture, frame.scope);
          const { x, y, width, height } = frame.layout.boxes;
          for (let box = 0; box < x.length; box++) {
            const isOpen = frame.inner.has(box);
            const hit = hitTest(picture, origin.x + x[box]! + width[box]! / 2, origin.y + y[box]! + (isOpen ? 15 : height[box]! / 2), 1);
            expect(hit).toEqual({ kind: isOpen ? "header" : "box", frame, box });
          }
        }
      }),
    );
  });

  it("finds an edge in its middle, and the inside of a scope beside it", () => {
    const graph = new GraphBuilder();
    graph.edge(graph.node(0), graph.node(0));
    const picture = picturesOf(graph.build()).picture(nothing);
    const { points } = picture.root.layout.routes;
    const [x, y] = [points[0]!, (points[1]! + points[3]!) / 2];
    expect(hitTest(picture, x + 3, y, 1)).toEqual({ kind: "edge", frame: picture.root, edge: 0 });
    expect(hitTest(picture, x + 3, y, 4).kind).toBe("inside");
  });
});

describe("stubs and ports", () => {
  it("lead to the box at the other end", () => {
    const graph = new GraphBuilder();
    const hub = graph.node(0);
    const readers = Array.from({ length: 40 }, () => graph.node(0));
    for (const reader of readers) graph.edge(hub, reader);
    const picture = picturesOf(graph.build()).picture(nothing);
    const { routes } = picture.root.layout;
    const place = (point: number) => [routes.points[2 * point]!, routes.points[2 * point + 1]!] as const;
    const [x, y] = place(routes.start[7]! + 1);
    expect(hitTest(picture, x, y - 5, 1)).toEqual({ kind: "stub", frame: picture.root, item: picture.tree.scopeCount + hub });
    const [fromX, fromY] = place(routes.start[7]!);
    expect(hitTest(picture, fromX, fromY + 5, 1).kind).toBe("stub");
  });

  it("of an open scope lead to the neighbor outside", () => {
    const graph = new GraphBuilder();
    const scope = graph.scope("scope");
    const [outside, inside] = [graph.node(0), graph.node(scope)];
    graph.edge(outside, inside);
    const picture = picturesOf(graph.build()).picture(openScopes(nothing, [scope]));
    const frame = picture.frames.get(scope)!;
    const { x, y } = frameOrigin(picture, scope);
    expect(hitTest(picture, x + frame.layout.portX[0]!, y + 1, 1)).toEqual({
      kind: "port",
      frame,
      item: picture.tree.scopeCount + outside,
    });
  });
});

describe("opening a scope", () => {
  it("keeps its corner at its pixel", () => {
    fc.assert(
      fc.property(graphs, openings, fc.nat(40), fc.double({ min: 0.1, max: 3, noNaN: true }), (structure, open, next, scale) => {
        const pictures = picturesOf(structure);
        const scope = next % pictures.tree.scopeCount;
        const before = pictures.picture(openScopes(nothing, open));
        const found = visibleBox(before, scope);
        fc.pre(found !== null && found.frame.items.item[found.box] === scope);
        const after = pictures.picture(openScopes(nothing, [...open, scope]));
        const transform = { x: 17, y: -40, scale };
        const kept = keepInPlace(before, after, scope, transform);
        const [was, is] = [cornerOf(before, scope), cornerOf(after, scope)];
        expect(kept.scale).toBe(scale);
        expect(kept.x + scale * is.x).toBeCloseTo(17 + scale * was.x, 6);
        expect(kept.y + scale * is.y).toBeCloseTo(-40 + scale * was.y, 6);
      }),
    );
  });

  it("moves each box from its place; boxes inside come out of the scope and go back", () => {
    const structure = generatedModel(1000);
    const pictures = picturesOf(structure);
    const [network, layers] = [1, 2];
    const transform = { x: 0, y: 0, scale: 1 };
    const before = { picture: pictures.picture(openScopes(nothing, [network])), transform };
    const after = { picture: pictures.picture(openScopes(nothing, [network, layers])), transform };
    const screen = { width: 4000, height: 4000 };
    const moves = boxMoves(before, after, screen);
    const at = (item: number) => moves.item.indexOf(item);
    expect(moves.isNew[at(network)]).toBe(0);
    const inside = moves.item.findIndex((_, index) => moves.isNew[index] === 1);
    expect([...moves.from.slice(4 * inside, 4 * inside + 4)]).toEqual([...moves.from.slice(4 * at(layers), 4 * at(layers) + 4)]);
    const back = boxMoves(after, before, screen);
    expect(back.isGone.reduce((sum, gone) => sum + gone, 0)).toBe(moves.isNew.reduce((sum, value) => sum + value, 0));
  });
});

describe("the open state", () => {
  const structure = generatedModel(1000);
  const pictures = picturesOf(structure);

  it("opens, closes, and toggles stacks", () => {
    const open = openScopes(nothing, [3, 4]);
    expect(closeScope(open, 3).open).toEqual(new Set([4]));
    expect(toggleStack(toggleStack(nothing, 5), 5)).toEqual(nothing);
  });

  it("knows the blocks that are alike", () => {
    const block = structure.scope_class.indexOf(1);
    expect(scopesAlike(pictures.tree, block).length).toBe(24);
    expect(scopesAlike(pictures.tree, 1)).toEqual([1]);
  });

  it("reveals any item", () => {
    fc.assert(
      fc.property(graphs, openings, fc.nat(), (any, open, seed) => {
        fc.pre(any.scope.length > 0);
        const all = picturesOf(any);
        const node = all.nodeThatShows(seed % any.scope.length);
        fc.pre(node >= 0);
        const item = all.tree.scopeCount + node;
        const picture = all.picture(all.reveal(openScopes(nothing, open), item));
        const { frame, box } = visibleBox(picture, item)!;
        expect(frame.items.item[box]).toBe(item);
      }),
    );
  });
});

describe("the arrow keys", () => {
  it("follow the edges of a chain and step through a row", () => {
    const graph = new GraphBuilder();
    const [top, left, right] = [graph.node(0), graph.node(0), graph.node(0)];
    graph.edge(top, left);
    graph.edge(top, right);
    const picture = picturesOf(graph.build()).picture(nothing);
    const item = (node: number) => picture.tree.scopeCount + node;
    expect([left, right].map(item)).toContain(itemAt(picture, item(top), "down"));
    expect(itemAt(picture, item(left), "right")).toBe(item(right));
    expect(itemAt(picture, item(right), "left")).toBe(item(left));
    expect(itemAt(picture, item(right), "up")).toBe(item(top));
    expect(itemAt(picture, item(top), "up")).toBe(item(top));
  });

  it("leave a scope where its edge leads", () => {
    const graph = new GraphBuilder();
    const scope = graph.scope("scope");
    const [inside, outside] = [graph.node(scope), graph.node(0)];
    graph.edge(inside, outside);
    const picture = picturesOf(graph.build()).picture(openScopes(nothing, [scope]));
    expect(itemAt(picture, picture.tree.scopeCount + inside, "down")).toBe(picture.tree.scopeCount + outside);
  });

  it("always reach an item of the picture", () => {
    fc.assert(
      fc.property(pictureCases, fc.constantFrom("up", "down", "left", "right" as const), (picture, key) => {
        for (const frame of picture.frames.values())
          for (const item of frame.items.item) expect(visibleBox(picture, itemAt(picture, item, key))).not.toBeNull();
      }),
    );
  });
});

describe("the minimap", () => {
  it("fits its rectangle and holds the larger boxes", () => {
    fc.assert(
      fc.property(pictureCases, (picture) => {
        const map = minimap(picture, 200, 120);
        expect(map.width).toBeLessThanOrEqual(200 + 1e-9);
        expect(map.height).toBeLessThanOrEqual(120 + 1e-9);
        for (let index = 0; index < map.boxes.length; index += 4) {
          expect(map.boxes[index]! + map.boxes[index + 2]!).toBeLessThanOrEqual(map.width + 1e-9);
          expect(map.boxes[index + 1]! + map.boxes[index + 3]!).toBeLessThanOrEqual(map.height + 1e-9);
        }
      }),
    );
  });
});
