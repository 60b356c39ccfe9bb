// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from "vitest";

import { gridShape } from "./cardGrid";

describe("a grid of cards", () => {
  it("gives one chart the page and many an even grid", () => {
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
