// SPDX-License-Identifier: Apache-2.0
import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { graphShapes } from "./graphShapes";

const chain = (count: number) => ({
  boxes: Array.from({ length: count }, (_, index) => ({ name: `block${index}`, nodes: index + 1 })),
  flows: Array.from({ length: count - 1 }, (_, index) => ({ source: index, target: index + 1, tensors: 10 ** index })),
});

describe("the preview of a graph", () => {
  it("has boxes below their inputs, with their names", () => {
    const { boxes, flows } = chain(4);
    const drawn = graphShapes(boxes, flows, { width: 400, height: 300 });
    expect(drawn.boxes.map(({ label }) => label)).toEqual(["block0", "block1", "block2", "block3"]);
    expect(drawn.boxes.map(({ y }) => y)).toEqual(drawn.boxes.map(({ y }) => y).sort((a, b) => a - b));
    expect(drawn.flows).toHaveLength(3);
    expect(drawn.flows[0]!.width).toBe(1);
    expect(drawn.flows[2]!.width).toBe(3);
  });

  it("folds a long chain into columns rather than to make it tiny", () => {
    const { boxes, flows } = chain(24);
    const drawn = graphShapes(boxes, flows, { width: 440, height: 260 });
    expect(new Set(drawn.boxes.map(({ x }) => Math.round(x))).size).toBeGreaterThan(1);
    expect(Math.min(...drawn.boxes.map(({ height }) => height))).toBeGreaterThan(9);
  });

  it("names its boxes in a low card too, and they do not touch", () => {
    const { boxes, flows } = chain(9);
    const skips = [...flows, { source: 0, target: 8, tensors: 3 }];
    const drawn = graphShapes(boxes, skips, { width: 370, height: 125 });
    expect(drawn.boxes.map(({ label }) => label)).toEqual(boxes.map(({ name }) => name));
    const edges = drawn.boxes.map(({ x, y, height }) => ({ x, y, end: y + height }));
    for (const [index, one] of edges.entries())
      for (const other of edges.slice(index + 1))
        if (one.x === other.x) expect(Math.max(one.y, other.y)).toBeGreaterThan(Math.min(one.end, other.end));
  });

  it("stays inside of any rectangle, for any graph", () => {
    const count = 12;
    const end = fc.nat(count - 1);
    const links = fc.array(fc.record({ source: end, target: end, tensors: fc.integer({ min: 1, max: 1e6 }) }), { maxLength: 30 });
    fc.assert(
      fc.property(links, fc.integer({ min: 40, max: 900 }), fc.integer({ min: 40, max: 600 }), (flows, width, height) => {
        for (const box of graphShapes(chain(count).boxes, flows, { width, height }).boxes) {
          expect(Math.min(box.x, box.y)).toBeGreaterThanOrEqual(-1e-6);
          expect(box.x + box.width).toBeLessThanOrEqual(width + 1e-6);
          expect(box.y + box.height).toBeLessThanOrEqual(height + 1e-6);
        }
      }),
    );
  });

  it("is empty without boxes", () => {
    expect(graphShapes([], [], { width: 400, height: 300 })).toEqual({ boxes: [], flows: [] });
  });
});
