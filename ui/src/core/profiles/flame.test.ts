// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from "vitest";

import { layoutFlame, movedNode, type Flame } from "./flame";

const flame = (parents: number[], totals: number[]): Flame => ({
  ...{ names: ["a"], colors: [0], left_out: 0, parent: Int32Array.from(parents), name: new Uint32Array(parents.length) },
  ...{ count: new Float64Array(parents.length), total: Float64Array.from(totals), own: new Float64Array(parents.length) },
});

describe("a flame graph", () => {
  it("puts children side by side below their parent, the longest first", () => {
    const layout = layoutFlame(flame([-1, 0, 0, -1], [80, 20, 40, 20]));
    expect(Array.from(layout.left)).toEqual([0, 0.4, 0, 0.8]);
    expect(Array.from(layout.width)).toEqual([0.8, 0.2, 0.4, 0.2]);
    expect(Array.from(layout.depth)).toEqual([0, 1, 1, 0]);
    expect(layout.total).toBe(100);
  });

  it("shows one node over the whole width", () => {
    const layout = layoutFlame(flame([-1, 0, 0, -1], [80, 20, 40, 20]), 0);
    expect(Array.from(layout.width)).toEqual([1, 0.25, 0.5, 0]);
    expect(layout.rows).toBe(2);
  });

  it("keeps children that overlap within their parent", () => {
    const layout = layoutFlame(flame([-1, 0, 0], [50, 50, 50]));
    expect(Array.from(layout.width)).toEqual([1, 0.5, 0.5]);
  });

  it.each([
    [-1, "ArrowRight", 0],
    [0, "ArrowRight", 3],
    [3, "ArrowRight", 3],
    [3, "ArrowLeft", 0],
    [0, "ArrowDown", 2],
    [2, "ArrowRight", 1],
    [1, "ArrowUp", 0],
    [0, "ArrowUp", 0],
    [1, "ArrowDown", 1],
    [1, "a", undefined],
  ])("leads from node %i by %s to %s", (node, key, want) => {
    const graph = flame([-1, 0, 0, -1], [80, 20, 40, 20]);
    expect(movedNode(graph, layoutFlame(graph), node, key)).toBe(want);
  });
});
