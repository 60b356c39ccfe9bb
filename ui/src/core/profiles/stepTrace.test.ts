// SPDX-License-Identifier: Apache-2.0
import { expect, it } from "vitest";

import { pipelineTree, slowest } from "./stepTrace";

it("marks outliers, but no noise", () => {
  const own = (values: Float64Array, left?: ReadonlySet<number>): number[] => slowest(values, values, left);
  expect(own(Float64Array.of(10, 10, 14, 10, 13))).toEqual([2, 4]);
  expect(own(Float64Array.of(10, 10, 10.5, 10, 10))).toEqual([]);
  expect(own(Float64Array.of(1, 3, 2, 1, 3, 2, 2.5, 1.5))).toEqual([]);
  expect(own(Float64Array.from({ length: 20 }, (_, place) => (place % 3 === 0 ? 20 + place : 1)))).toEqual([18, 15, 12, 9, 6]);
  expect(own(Float64Array.of(5, 5))).toEqual([]);
  expect(own(new Float64Array(0))).toEqual([]);
  expect(own(Float64Array.of(90, 10, 14, 10, 90), new Set([0, 4]))).toEqual([2]);
});

it("marks a part that matters for its step", () => {
  const part = Float64Array.of(3, 3, 4, 3, 3);
  expect(slowest(part, Float64Array.of(100, 100, 100, 100, 100))).toEqual([]);
  expect(slowest(part, Float64Array.of(40, 40, 40, 40, 40))).toEqual([2]);
  expect(slowest(Float64Array.of(0, 0, 30, 0, 0), Float64Array.of(100, 100, 130, 100, 100)), "a part of one step").toEqual([2]);
});

it("leaves steps without a value out", () => {
  const part = Float64Array.of(NaN, 10, 10, 14, NaN, NaN, NaN);
  expect(slowest(part, Float64Array.of(1, 50, 50, 50, 1, 1, 1))).toEqual([3]);
});

it("lists a pipeline from its root on; branches are deeper", () => {
  // Two readers are zipped, then batched.
  expect(pipelineTree([{ parent: 1 }, { parent: 4 }, { parent: 4 }, { parent: -1 }, { parent: 3 }])).toEqual([
    { place: 3, depth: 0 },
    { place: 4, depth: 0 },
    { place: 1, depth: 1 },
    { place: 0, depth: 1 },
    { place: 2, depth: 1 },
  ]);
});
