// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from "vitest";

import { haveCommonPlane, haveSameSurface, overlayGroups } from "./commonPlane";
import type { Landscape, LandscapeFacts } from "./landscape";

type OnPlane = Pick<Landscape, "run" | "x" | "y" | "path" | "facts">;

const FACTS: LandscapeFacts = {
  ...{ method: "pca", plane_id: "", degenerate: "", failure: "", explained_variance: [], normalization: "", num_samples: 0, seed: null },
  ...{ evaluation: "", dtype: "", dtype_error: null, seconds: 0, points_done: 0, points_total: 0, seconds_left: null },
};

function landscape(run: string, steps: number[], x: number[], { rows = 2, y = x.map((each) => 2 * each) } = {}): OnPlane {
  const path = {
    steps,
    x: Float64Array.from(x),
    y: Float64Array.from(y),
    loss: new Float64Array(x.length),
    offPlane: null,
    distances: null,
  };
  return { run, x: Float64Array.of(0, 1), y: Float64Array.from({ length: rows }, (_, row) => row), path, facts: FACTS };
}

function onPlane(plane_id: string, landscape: OnPlane): OnPlane {
  return { ...landscape, facts: { ...FACTS, plane_id } };
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

  it("have one id, whatever their runs and paths; paths decide where a log has none", () => {
    const [one, other] = [onPlane("p", plane), onPlane("p", landscape("b", [2], [7]))];
    expect(haveCommonPlane(one, other)).toBe(true);
    expect(haveCommonPlane(one, onPlane("q", plane))).toBe(false);
    expect(haveCommonPlane(one, plane)).toBe(true);
    expect(haveCommonPlane(one, { ...plane, facts: null })).toBe(true);
    expect(haveCommonPlane(landscape("b", [1, 5, 9], [4, 2, 0]), one)).toBe(false);
    expect(haveCommonPlane(one, onPlane("p", landscape("a", [1, 5, 9], [4, 2, 0], { rows: 1 })))).toBe(false);
  });

  it("share a surface only with the same losses", () => {
    const of = (each: OnPlane, losses: number[]): Landscape => ({
      ...{ tag: "tag", id: "1", unit: "step", step_per_epoch: 0, decomposition: "PCA", evaluated: null, convergence: null },
      ...{ ...each, losses: Float64Array.from(losses) },
    });
    const [one, other] = [onPlane("p", plane), onPlane("p", landscape("b", [2], [7]))];
    expect(haveSameSurface(of(one, [1, NaN, 3, 4]), of(other, [1, NaN, 3, 4]))).toBe(true);
    expect(haveSameSurface(of(one, [1, 2, 3, 4]), of(other, [1, 2, 3, 5]))).toBe(false);
    expect(haveSameSurface(of(one, [1, 2, 3, 4]), of({ ...other, x: Float64Array.of(0, 2) }, [1, 2, 3, 4]))).toBe(false);
    expect(haveSameSurface(of(one, [1, 2, 3, 4]), of(onPlane("q", other), [1, 2, 3, 4]))).toBe(false);
  });

  it("need three checkpoints, of a line two, which are known", () => {
    expect(haveCommonPlane(landscape("a", [1, 5], [4, 0]), landscape("a", [1, 5], [4, 0]))).toBe(false);
    const line = (run: string): OnPlane => landscape(run, [1, 9], [0, 1], { rows: 1 });
    expect(haveCommonPlane(line("a"), line("a"))).toBe(true);
    expect(haveCommonPlane(line("a"), line("b"))).toBe(false);
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
