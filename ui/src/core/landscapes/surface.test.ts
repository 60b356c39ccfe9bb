// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";

import type { LandscapeFacts } from "./landscape";
import { countPoints, drawnSurface, nearestIndex, POINT } from "./surface";

const FACTS: LandscapeFacts = {
  method: "pca",
  plane_id: "",
  degenerate: "",
  failure: "",
  explained_variance: [],
  normalization: "",
  num_samples: 0,
  seed: null,
  evaluation: "",
  dtype: "",
  dtype_error: null,
  seconds: 0,
  points_done: 9,
  points_total: 9,
  seconds_left: null,
};
const X = Float64Array.of(0, 1, 3, 4);
const Y = Float64Array.of(0, 1, 2);
const plane = Float64Array.from({ length: 12 }, (_, index) => 2 * X[index % 4]! + 10 * Y[Math.floor(index / 4)]!);

function landscape(losses: Float64Array, evaluated: Uint8Array | null = null, points_done = 12) {
  return { x: X, y: Y, losses, evaluated, facts: { ...FACTS, points_done, points_total: 12 } };
}

test("a complete landscape keeps its holes, and says what they are", () => {
  const losses = plane.map((loss, index) => [NaN, Infinity, -Infinity][index] ?? loss);
  const surface = drawnSurface(
    landscape(
      losses,
      Uint8Array.from(losses, (_, index) => Number(index !== 3)),
    ),
  );
  expect([...surface.state.slice(0, 5)]).toEqual([
    POINT.nan,
    POINT.positiveInfinity,
    POINT.negativeInfinity,
    POINT.interpolated,
    POINT.computed,
  ]);
  expect([...surface.losses.slice(0, 3)]).toEqual([NaN, NaN, NaN]);
  expect(countPoints(surface)).toEqual({ computed: 8, interpolated: 1, pending: 0, nan: 1, infinite: 2 });
});

test("a coarse grid of a running computation is a surface that is exact for a plane", () => {
  const corners = plane.map((loss, index) => ([0, 3, 8, 11].includes(index) ? loss : NaN));
  const surface = drawnSurface(landscape(corners, null, 4));
  surface.losses.forEach((loss, index) => expect(loss).toBeCloseTo(plane[index]!, 9));
  expect(countPoints(surface)).toMatchObject({ computed: 4, pending: 8, nan: 0 });
});

test("what is not between known points stays unknown, and an infinite loss stays a hole", () => {
  const some = plane.map((loss, index) => (index === 4 || index === 6 ? loss : index === 5 ? Infinity : NaN));
  const surface = drawnSurface(landscape(some, null, 3));
  expect(countPoints(surface)).toMatchObject({ computed: 2, pending: 0, nan: 9, infinite: 1 });
  expect(surface.losses[5]).toBeNaN();
});

test("the nearest column of uneven coordinates", () => {
  expect([-9, 0.4, 0.6, 1.9, 2.1, 9].map((value) => nearestIndex(X, value))).toEqual([0, 0, 1, 1, 2, 3]);
  expect(nearestIndex([7], 3)).toBe(0);
});
