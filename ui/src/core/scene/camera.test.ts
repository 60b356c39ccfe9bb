// SPDX-License-Identifier: Apache-2.0
import fc from "fast-check";
import { expect, test } from "vitest";

import { DEFAULT_CAMERA, isSameCamera, orbited, readCamera, writeCamera, zoomed } from "./camera";

test("a camera stays within its limits, and survives an address", () => {
  const step = fc.integer({ min: -900, max: 900 });
  fc.assert(
    fc.property(fc.array(fc.tuple(step, step, fc.double({ min: 0.3, max: 3, noNaN: true })), { maxLength: 8 }), (moves) => {
      const camera = moves.reduce((from, [right, down, factor]) => zoomed(orbited(from, right, down), factor), DEFAULT_CAMERA);
      expect(camera.azimuth).toBeGreaterThanOrEqual(-180);
      expect(camera.azimuth).toBeLessThan(180);
      expect(camera.elevation).toBeGreaterThanOrEqual(0);
      expect(camera.elevation).toBeLessThanOrEqual(90);
      expect(readCamera(writeCamera(camera))).toEqual(camera);
    }),
  );
  for (const wrong of ["", "1,2", "a,b,c", "1,2,3,4"]) expect(readCamera(wrong)).toEqual(DEFAULT_CAMERA);
});

test("a scene that has an underside is seen from below", () => {
  const below = orbited(DEFAULT_CAMERA, 0, -1000, -90);
  expect(below.elevation).toBe(-90);
  expect(readCamera(writeCamera(below), -90)).toEqual(below);
  expect(zoomed(below, 2).elevation).toBe(-90);
  expect(isSameCamera(below, DEFAULT_CAMERA)).toBe(false);
  expect(isSameCamera(orbited(DEFAULT_CAMERA, 0, 0), DEFAULT_CAMERA)).toBe(true);
});
