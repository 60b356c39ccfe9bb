// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from "vitest";

import { shownBox, stepBack, tidyBox, UNZOOMED, zoomInto } from "./zoom";

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
