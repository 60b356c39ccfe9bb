// SPDX-License-Identifier: Apache-2.0
import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { buildDigraph, topologicalOrder } from "../arrays/digraph";
import { DEFAULT_LIMITS, DRAWING, SPACING, vertexCount, type LayoutInput } from "./layoutInput";
import { buildSkeleton, placeScope, type ScopeLayout } from "./scopeLayout";

/** Boxes of given widths and edges; edges of a port lead out of an input or into an output. */
function inputOf(boxes: number, edges: [number, number][], inPorts = 0, outPorts = 0, widths: number[] = []): LayoutInput {
  return {
    boxes,
    inPorts,
    outPorts,
    width: Float64Array.from({ length: boxes }, (_, box) => widths[box] ?? 120),
    height: Float64Array.from({ length: boxes }, (_, box) => 28 + (box % 3) * 16),
    source: Int32Array.from(edges, ([source]) => source),
    target: Int32Array.from(edges, ([, target]) => target),
  };
}

const layout = (input: LayoutInput, limits = DEFAULT_LIMITS): ScopeLayout =>
  placeScope(buildSkeleton(input, limits), input.width, input.height);

const chain = (count: number, isLoop = false): [number, number][] =>
  Array.from({ length: isLoop ? count : count - 1 }, (_, index) => [index, (index + 1) % count]);

const inputs = fc
  .record({
    boxes: fc.integer({ min: 0, max: 40 }),
    inPorts: fc.nat(4),
    outPorts: fc.nat(4),
    widths: fc.array(fc.integer({ min: 40, max: 300 }), { minLength: 40, maxLength: 40 }),
    seeds: fc.array(fc.tuple(fc.nat(10_000), fc.nat(10_000)), { maxLength: 80 }),
  })
  .map(({ boxes, inPorts, outPorts, widths, seeds }) => {
    const sources = boxes + inPorts;
    const edges: [number, number][] = [];
    if (boxes > 0)
      for (const [a, b] of seeds) {
        const source = a % sources;
        const target = source < boxes ? b % (boxes + outPorts) : b % boxes;
        edges.push([source, target < boxes ? target : target + inPorts]);
      }
    return inputOf(boxes, edges, inPorts, outPorts, widths);
  });

const limits = fc.constantFrom(DEFAULT_LIMITS, { ...DEFAULT_LIMITS, foldHeight: 100 }, { ...DEFAULT_LIMITS, spanLimit: 2, fanLimit: 3 });

function overlaps({ boxes }: ScopeLayout): [number, number][] {
  const { x, y, width, height } = boxes;
  const found: [number, number][] = [];
  for (let a = 0; a < x.length; a++)
    for (let b = a + 1; b < x.length; b++)
      if (x[a]! < x[b]! + width[b]! && x[b]! < x[a]! + width[a]! && y[a]! < y[b]! + height[b]! && y[b]! < y[a]! + height[a]!)
        found.push([a, b]);
  return found;
}

function pointsOf({ routes }: ScopeLayout, edge: number): [number, number][] {
  const points: [number, number][] = [];
  for (let index = routes.start[edge]!; index < routes.start[edge + 1]!; index++)
    points.push([routes.points[2 * index]!, routes.points[2 * index + 1]!]);
  return points;
}

/** Whether a point is on the border of a vertex of the layout. */
function isOnBorder(input: LayoutInput, result: ScopeLayout, vertex: number, [x, y]: [number, number]): boolean {
  if (vertex >= input.boxes) {
    const isInPort = vertex < input.boxes + input.inPorts;
    return x === result.portX[vertex - input.boxes]! && y === (isInPort ? 0 : result.height);
  }
  const { boxes } = result;
  const [left, top] = [boxes.x[vertex]!, boxes.y[vertex]!];
  const [right, bottom] = [left + boxes.width[vertex]!, top + boxes.height[vertex]!];
  const isInside = x >= left - 1e-6 && x <= right + 1e-6 && y >= top - 1e-6 && y <= bottom + 1e-6;
  return isInside && (Math.abs(x - right) < 1e-6 || Math.abs(y - top) < 1e-6 || Math.abs(y - bottom) < 1e-6);
}

describe("the layout of a scope", () => {
  it("keeps boxes apart and inside", () => {
    fc.assert(
      fc.property(inputs, limits, (input, chosen) => {
        const result = layout(input, chosen);
        expect(overlaps(result)).toEqual([]);
        for (let box = 0; box < input.boxes; box++) {
          expect(result.boxes.x[box]).toBeGreaterThanOrEqual(SPACING.padding - 1e-6);
          expect(result.boxes.y[box]).toBeGreaterThanOrEqual(SPACING.header);
          expect(result.boxes.x[box]! + result.boxes.width[box]!).toBeLessThanOrEqual(result.width - SPACING.padding + 1e-6);
          expect(result.boxes.y[box]! + result.boxes.height[box]!).toBeLessThanOrEqual(result.height - SPACING.padding + 1e-6);
        }
      }),
    );
  });

  it("starts the stub of an edge that leads back at its source", () => {
    const edges: [number, number][] = [
      [2, 0],
      [0, 1],
      [1, 4],
      [4, 2],
    ];
    const input = inputOf(5, edges, 0, 0, [40, 40, 40, 40, 40]);
    const result = layout(input, { ...DEFAULT_LIMITS, spanLimit: 2, fanLimit: 3 });
    const [leaving, entering] = pointsOf(result, 0);
    expect(isOnBorder(input, result, 2, leaving!)).toBe(true);
    expect(isOnBorder(input, result, 0, entering!)).toBe(true);
  });

  it("starts and ends each edge at the border of its boxes", () => {
    fc.assert(
      fc.property(inputs, limits, (input, chosen) => {
        const result = layout(input, chosen);
        for (let edge = 0; edge < input.source.length; edge++) {
          const points = pointsOf(result, edge);
          expect(points.length).toBeGreaterThanOrEqual(2);
          expect(isOnBorder(input, result, input.source[edge]!, points[0]!)).toBe(true);
          expect(isOnBorder(input, result, input.target[edge]!, points.at(-1)!)).toBe(true);
        }
      }),
    );
  });

  it("leads no line through a box", () => {
    fc.assert(
      fc.property(inputs, limits, (input, chosen) => {
        const result = layout(input, chosen);
        const { x, y, width, height } = result.boxes;
        for (let edge = 0; edge < input.source.length; edge++) {
          if (result.drawing[edge] !== DRAWING.routed) continue;
          const points = pointsOf(result, edge);
          for (let index = 1; index < points.length; index++)
            for (let step = 1; step < 10; step++) {
              const px = points[index - 1]![0] + ((points[index]![0] - points[index - 1]![0]) * step) / 10;
              const py = points[index - 1]![1] + ((points[index]![1] - points[index - 1]![1]) * step) / 10;
              for (let box = 0; box < input.boxes; box++) {
                const isInside =
                  px > x[box]! + 1e-6 && px < x[box]! + width[box]! - 1e-6 && py > y[box]! + 1e-6 && py < y[box]! + height[box]! - 1e-6;
                expect(isInside).toBe(false);
              }
            }
        }
      }),
    );
  });

  it("leads every edge down in one column when the graph has no cycle, and reverses none", () => {
    fc.assert(
      fc.property(inputs, (input) => {
        const graph = buildDigraph(vertexCount(input), input.source, input.target);
        fc.pre(topologicalOrder(graph).length === vertexCount(input));
        const result = layout(input, { ...DEFAULT_LIMITS, foldHeight: Infinity });
        expect(result.isReversed.some(Boolean)).toBe(false);
        for (let edge = 0; edge < input.source.length; edge++) {
          if (result.drawing[edge] !== DRAWING.routed) continue;
          const points = pointsOf(result, edge);
          for (let index = 1; index < points.length; index++) expect(points[index]![1]).toBeGreaterThanOrEqual(points[index - 1]![1]);
        }
      }),
    );
  });

  it("keeps the order of the boxes when some of them grow", () => {
    fc.assert(
      fc.property(inputs, limits, fc.array(fc.nat(39), { maxLength: 5 }), (input, chosen, opened) => {
        const skeleton = buildSkeleton(input, chosen);
        const before = placeScope(skeleton, input.width, input.height).boxes;
        const width = input.width.map((value, box) => (opened.includes(box) ? value * 5 : value));
        const height = input.height.map((value, box) => (opened.includes(box) ? value * 9 : value));
        const after = placeScope(skeleton, width, height);
        expect(overlaps(after)).toEqual([]);
        for (let a = 0; a < input.boxes; a++)
          for (let b = 0; b < input.boxes; b++) {
            const wasLeft = before.y[a] === before.y[b] && before.x[a]! < before.x[b]!;
            if (wasLeft && after.boxes.y[a] === after.boxes.y[b]) expect(after.boxes.x[a]).toBeLessThan(after.boxes.x[b]!);
          }
      }),
    );
  });

  it("puts a source next to its consumer and a dead end next to its producer", () => {
    const [late, dead] = [10, 11];
    const { boxes } = layout(inputOf(12, [...chain(10), [late, 8], [2, dead]]));
    expect(boxes.y[late]).toBe(boxes.y[7]);
    expect(boxes.y[dead]).toBe(boxes.y[3]);
  });

  it("draws a straight chain straight", () => {
    const { boxes, routes } = layout(inputOf(5, chain(5)));
    expect(new Set(boxes.x).size).toBe(1);
    expect(routes.points.length).toBe(4 * 4);
  });

  it("keeps a long edge beside the boxes on one vertical line", () => {
    const result = layout(inputOf(8, [...chain(8), [0, 7]]));
    const xs = pointsOf(result, 7)
      .slice(1, -1)
      .map(([x]) => x);
    expect(new Set(xs.slice(1, -1)).size).toBeLessThanOrEqual(1);
  });

  it("folds a long chain into columns of a sensible picture", () => {
    const result = layout(inputOf(300, chain(300)));
    expect(result.width / result.height).toBeGreaterThan(0.8);
    expect(result.width / result.height).toBeLessThan(3);
    expect(result.drawing.every((drawing) => drawing === DRAWING.routed)).toBe(true);
  });

  it("draws loops and cycles", () => {
    const result = layout(inputOf(3, [...chain(3, true), [1, 1]]));
    expect([...result.isReversed]).toEqual([0, 0, 1, 0]);
    expect(result.drawing[3]).toBe(DRAWING.loop);
  });

  it("sets a box with thousands of neighbors aside, with stubs", () => {
    const result = layout(
      inputOf(
        2001,
        Array.from({ length: 2000 }, (_, index): [number, number] => [0, index + 1]),
      ),
    );
    expect(result.drawing.every((drawing) => drawing === DRAWING.stub)).toBe(true);
    expect(result.width / result.height).toBeLessThan(4);
    expect(result.width / result.height).toBeGreaterThan(0.5);
  });

  it("draws very many boxes as a grid in execution order", () => {
    const result = layout(inputOf(5000, chain(5000)));
    expect(result.drawing.every((drawing) => drawing === DRAWING.hidden)).toBe(true);
    const { x, y } = result.boxes;
    for (let box = 1; box < 5000; box++) expect(y[box]! > y[box - 1]! || (y[box] === y[box - 1] && x[box]! > x[box - 1]!)).toBe(true);
  });

  it("lays out a chain of 10,000 and a ring of 10,000 without a stack", () => {
    for (const isRing of [false, true]) {
      const result = layout(inputOf(10_000, chain(10_000, isRing)), { ...DEFAULT_LIMITS, gridFrom: Infinity });
      expect(result.width / result.height).toBeLessThan(3);
    }
  });

  it("takes an empty scope, one box, and ports alone", () => {
    expect(layout(inputOf(0, [])).boxes.x.length).toBe(0);
    expect(layout(inputOf(1, [])).width).toBe(120 + 2 * SPACING.boxMargin + 2 * SPACING.padding);
    expect(layout(inputOf(0, [], 2, 2)).portX.length).toBe(4);
  });
});
