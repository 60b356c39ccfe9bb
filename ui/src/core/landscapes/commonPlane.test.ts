// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from "vitest";

import { haveCommonPlane, overlayGroups } from "./commonPlane";
import type { Landscape } from "./landscape";

type OnPlane = Pick<Landscape, "run" | "x" | "y" | "path">;

function landscape(run: string, steps: number[], x: number[], { rows = 2, y = x.map((each) => 2 * each) } = {}): OnPlane {
  const path = {
    steps,
    x: Float64Array.from(x),
    y: Float64Array.from(y),
    loss: new Float64Array(x.length),
    offPlane: null,
    distances: null,
  };
  return { run, x: Float64Array.of(0, 1), y: Float64Array.from({ length: rows }, (_, row) => row), path };
}

const plane = landscape("a", [1, 5, 9], [4, 2, 0]);

describe("landscapes of a common plane", () => {
  it("have the same checkpoints of a run at the same coordinates", () => {
    expect(haveCommonPlane(plane, landscape("a", [1, 5, 9], [4, 2.0000001, 0]))).toBe(true);
    expect(haveCommonPlane(plane, plane)).toBe(true);
  });

  it("are not those of another run, of other checkpoints, or of other directions", () => {
    expect(haveCommonPlane(plane, landscape("b", [1, 5, 9], [4, 2, 0]))).toBe(false);
    expect(haveCommonPlane(plane, landscape("a", [1, 5, 10], [4, 2, 0]))).toBe(false);
    expect(haveCommonPlane(plane, landscape("a", [1, 5, 9], [4, 3, 0]))).toBe(false);
    expect(haveCommonPlane(plane, landscape("a", [1, 5, 9], [4, 2, 0], { y: [8, 4, 1] }))).toBe(false);
  });

  it("need three checkpoints, which are known", () => {
    expect(haveCommonPlane(landscape("a", [1, 5], [4, 0]), landscape("a", [1, 5], [4, 0]))).toBe(false);
    expect(haveCommonPlane({ ...plane, path: null }, { ...plane, path: null })).toBe(false);
  });

  it("share a picture; each other plane has its own, and lines are curves of one", () => {
    const of = (landscapes: OnPlane[]): number[][] => {
      const all = landscapes.map((each, place) => ({ landscape: each, place }));
      return overlayGroups(all).map((group) => group.map(({ place }) => place));
    };
    const line = landscape("a", [1, 5, 9], [4, 2, 0], { rows: 1 });
    expect(of([plane, landscape("b", [1, 5, 9], [4, 2, 0]), plane])).toEqual([[0, 2], [1]]);
    expect(of([line, plane, landscape("b", [1], [1], { rows: 1 })])).toEqual([[0, 2], [1]]);
    expect(of([])).toEqual([]);
  });
});
