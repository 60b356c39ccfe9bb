// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";

import { checkAscending, offPlaneShares, planeQuality, type LandscapeFacts, type LandscapePath } from "./landscape";
import { checkpointRadius, checkpointsUpTo, sharedSteps, stepsPerUnit } from "./path";

const none = new Float64Array(3);
const PATH: LandscapePath = { steps: [2, 5, 9], x: none, y: none, loss: none, distances: null, offPlane: Float64Array.of(0.3, 0.5, 0) };

test("points grow with their distance from the plane", () => {
  expect(checkpointRadius(0)).toBe(3);
  expect(checkpointRadius(0.5)).toBeGreaterThan(checkpointRadius(0.2));
  expect(checkpointRadius(7)).toBe(checkpointRadius(1));
});

test("a checkpoint at the origin is on the plane, whatever rounding says", () => {
  expect([...offPlaneShares([1, 2, 1e-9], [4, 4, 1e-10])]).toEqual([0.25, 0.5, 0]);
});

test("the quality of a plane is what the log knows", () => {
  const facts = { explained_variance: [0.7, 0.13] } as unknown as LandscapeFacts;
  expect(planeQuality({ path: PATH, facts })).toEqual({ offPlane: 0.5, explained: 0.83 });
  expect(planeQuality({ path: { ...PATH, offPlane: null }, facts: null })).toEqual({ offPlane: null, explained: null });
});

test("a path is drawn up to a step", () => {
  expect([null, 1, 2, 5, 8, 99].map((step) => checkpointsUpTo(PATH, step))).toEqual([3, 0, 1, 2, 2, 3]);
  expect(sharedSteps([{ path: PATH }, { path: null }, { path: { ...PATH, steps: [1, 5] } }])).toEqual([1, 2, 5, 9]);
});

test("an interval of epochs in training steps", () => {
  expect([stepsPerUnit("epoch", 10), stepsPerUnit("epoch", 0), stepsPerUnit("step", 10)]).toEqual([10, 1, 1]);
});

test("coordinates must ascend", () => {
  expect(() => checkAscending(Float64Array.of(0, 1, 2), "x")).not.toThrow();
  for (const wrong of [[0, 0], [1, 0], [0, NaN], [Infinity]])
    expect(() => checkAscending(Float64Array.from(wrong), "x")).toThrow(RangeError);
});
