// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from "vitest";

import { LINE, type Curve } from "../../core/series/curve";
import { KeyCursor } from "./keyCursor";

function curve(key: string, x: number[]): Curve {
  return { ...LINE, key, label: key, color: "", x: Float64Array.from(x), raw: Float32Array.from(x), smoothed: null, isAscending: true };
}

const curves = [curve("a", [0, 1, 2, 3]), curve("b", [0, 2.9, 8]), curve("empty", [])];

describe("KeyCursor", () => {
  it("begins at the end and walks along a curve, never past it", () => {
    const keys = new KeyCursor();
    const rows = ["ArrowLeft", "ArrowLeft", "ArrowRight", "ArrowRight", "Home", "ArrowLeft", "End"].map(
      (key) => keys.move(key, false, curves)?.row,
    );
    expect(rows).toEqual([3, 2, 3, 3, 0, 0, 3]);
  });

  it("changes between curves at the same place, leaving out those without rows", () => {
    const keys = new KeyCursor();
    keys.move("End", false, curves);
    expect(keys.move("ArrowDown", false, curves)).toEqual({ curve: curves[1], row: 1 });
    expect(keys.move("ArrowDown", false, curves)).toEqual({ curve: curves[0], row: 3 });
  });

  it("leaps with shift, and leaves other keys alone", () => {
    const keys = new KeyCursor();
    expect(keys.move("ArrowLeft", true, curves)?.row).toBe(0);
    expect(keys.move("a", false, curves)).toBeNull();
    expect(keys.move("ArrowLeft", false, [])).toBeNull();
  });

  it("stays at its position when the rows change", () => {
    const keys = new KeyCursor();
    keys.move("Home", false, curves);
    keys.move("ArrowRight", false, curves);
    const grown = [curve("new", [9]), curve("a", [0, 0.5, 1, 2, 3])];
    expect(keys.at(grown)).toEqual({ curve: grown[1], row: 2 });
    expect(keys.move("ArrowRight", false, grown)).toEqual({ curve: grown[1], row: 3 });
    expect(new KeyCursor().at(curves)).toBeNull();
  });

  it("walks over several rows at one position", () => {
    const keys = new KeyCursor();
    const repeated = [curve("a", [1, 1, 1])];
    expect(["End", "ArrowLeft", "ArrowLeft"].map((key) => keys.move(key, false, repeated)?.row)).toEqual([2, 1, 0]);
  });
});
