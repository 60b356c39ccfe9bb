// SPDX-License-Identifier: Apache-2.0
import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { axisPositions } from "./axis";
import { finiteExtent, paddedExtent, positionExtent } from "./extent";
import { gridShape } from "./cardGrid";
import { rowWindow } from "./visibleRows";
import { shownBox, stepBack, tidyBox, UNZOOMED, zoomInto } from "./zoom";

describe("extents", () => {
  it("leave out what is not finite, and what has no logarithm", () => {
    expect(finiteExtent([[1, NaN, Infinity], [-3]])).toEqual([-3, 1]);
    expect(finiteExtent([[0, -1, 5, 50]], true)).toEqual([5, 50]);
    expect(finiteExtent([[NaN], []])).toBeNull();
  });

  it("are never of zero width", () => {
    for (const isLog of [false, true]) {
      for (const extent of [null, [2, 2] as const, [1, 9] as const]) {
        const [low, high] = paddedExtent(extent, isLog);
        expect(low).toBeLessThan(high);
        if (isLog) expect(low).toBeGreaterThan(0);
      }
    }
    expect(positionExtent([5, 5])).toEqual([4, 6]);
  });
});

describe("positions on the axis", () => {
  const columns = { step: Float64Array.of(3, 4), wallTime: Float64Array.of(102, 103.5) };

  it("are steps, seconds since the first point, or the clock", () => {
    expect([...axisPositions("step", columns, 100)]).toEqual([3, 4]);
    expect([...axisPositions("relative", columns, 100)]).toEqual([2, 3.5]);
    expect([...axisPositions("wall", columns, 100)]).toEqual([102, 103.5]);
  });
});

describe("zoom", () => {
  const outer = { x: [0, 10], y: [0, 1] } as const;
  const inner = { x: [2, 3], y: [0.1, 0.2] } as const;

  it("is stacked, and goes back step by step", () => {
    const stack = zoomInto(zoomInto(UNZOOMED, outer), inner);
    expect(shownBox(stack)).toEqual(inner);
    expect(shownBox(stepBack(stack))).toEqual(outer);
    expect(shownBox(stepBack(stepBack(stack)))).toBeNull();
    expect(stepBack(UNZOOMED)).toEqual([]);
  });

  it("refuses a box without room", () => {
    expect(zoomInto(UNZOOMED, { x: [1, 1], y: [0, 1] })).toEqual([]);
  });

  it("keeps what can be seen of a box", () => {
    expect(tidyBox({ x: [308.215859030837, 748.524229], y: [0.99164678, 2.13151035] }, false)).toEqual({
      x: [308.22, 748.52],
      y: [0.9916, 2.1315],
    });
    expect(tidyBox({ x: [0, 1], y: [1.23456789e-7, 4] }, true).y).toEqual([1.2346e-7, 4]);
  });
});

describe("windows and grids", () => {
  it("cover every row that is in sight", () => {
    fc.assert(
      fc.property(fc.nat(10000), fc.nat(400000), fc.nat(2000), (count, top, height) => {
        const { first, end } = rowWindow(count, 28, { top, height });
        expect(first).toBeGreaterThanOrEqual(0);
        expect(end).toBeLessThanOrEqual(count);
        expect(first).toBeLessThanOrEqual(end);
        const inSight = Math.floor(top / 28);
        if (inSight < count && height > 0) expect(first <= inSight && inSight < end).toBe(true);
      }),
    );
  });

  it("give one chart the page and many an even grid", () => {
    const room = { width: 1600, height: 800 };
    expect(gridShape("medium", [1], room)).toEqual({ columns: 1, height: 800 });
    expect(gridShape("medium", [2], room)).toEqual({ columns: 2, height: 800 });
    expect(gridShape("medium", [2], { width: 960, height: 720 })).toEqual({ columns: 1, height: 360 });
    expect(gridShape("medium", [6], room)).toEqual({ columns: 3, height: 400 });
    expect(gridShape("medium", [300, 2], room)).toEqual({ columns: 4, height: 248 });
    expect(gridShape("medium", [2], { width: 3400, height: 600 })).toEqual({ columns: 2, height: 600 });
    expect(gridShape("medium", [2], room, { widest: 1.5 }).columns).toBe(2);
    expect(gridShape("medium", [1], room, { tallest: 300 })).toEqual({ columns: 1, height: 300 });
    expect(gridShape("large", [], { width: 100, height: 100 }).columns).toBe(1);
  });
});
