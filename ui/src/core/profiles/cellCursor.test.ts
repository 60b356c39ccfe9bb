// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from "vitest";

import { movedCell } from "./cellCursor";

const NONE = Number.NaN;
/** Two rows of three cells. */
const VALUES = [NONE, 1, 2, 3, NONE, 4];

describe("a cell chosen by keys", () => {
  it("begins at the first that has a value", () => {
    expect(movedCell(null, "ArrowRight", VALUES, 3)).toBe(1);
    expect(movedCell(9, "ArrowDown", VALUES, 3)).toBe(1);
    expect(movedCell(null, "End", [NONE], 1)).toBeUndefined();
  });

  it.each([
    [1, "ArrowRight", 2],
    [2, "ArrowRight", 2],
    [1, "ArrowLeft", 1],
    [5, "ArrowLeft", 3],
    [2, "ArrowDown", 5],
    [1, "ArrowDown", 1],
    [5, "ArrowUp", 2],
    [3, "ArrowUp", 3],
    [2, "Home", 1],
    [3, "End", 5],
  ])("goes from %i by %s to %i", (cell, key, want) => {
    expect(movedCell(cell, key, VALUES, 3)).toBe(want);
  });

  it("ignores other keys", () => {
    expect(movedCell(1, "a", VALUES, 3)).toBeUndefined();
  });
});
