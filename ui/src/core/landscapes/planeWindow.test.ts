// SPDX-License-Identifier: Apache-2.0
import { describe, expect, test } from "vitest";
import { isWholePlane, pannedPlane, partOfRange, readPlaneWindow, WHOLE_PLANE, writePlaneWindow, zoomedPlane } from "./planeWindow";

describe("zoom", () => {
  test("keeps the point under the pointer", () => {
    const zoomed = zoomedPlane(WHOLE_PLANE, 4, { x: 0.2, y: 1 });
    expect(zoomed).toEqual({ x: [0.15, 0.4], y: [0.75, 1] });
    const again = zoomedPlane(zoomed, 2, { x: 0.2, y: 1 });
    expect(partOfRange(again.x, [0.2, 0.2])[0]).toBeCloseTo(0.2, 3);
  });

  test("ends at the whole plane and at the smallest part", () => {
    expect(isWholePlane(zoomedPlane(zoomedPlane(WHOLE_PLANE, 3), 1 / 9))).toBe(true);
    const { x } = zoomedPlane(WHOLE_PLANE, 1e9);
    expect(x[1] - x[0]).toBeCloseTo(0.01, 6);
  });
});

test("what is shown moves up to the edge of the plane", () => {
  const part = zoomedPlane(WHOLE_PLANE, 2);
  expect(pannedPlane(part, 0.25, 0)).toEqual({ x: [0.125, 0.625], y: [0.25, 0.75] });
  expect(pannedPlane(part, -10, -10)).toEqual({ x: [0.5, 1], y: [0.5, 1] });
  expect(pannedPlane(WHOLE_PLANE, 1, 1)).toEqual(WHOLE_PLANE);
});

test("an address holds the part, and anything else is the whole plane", () => {
  const part = zoomedPlane(WHOLE_PLANE, 3, { x: 0.1, y: 0.9 });
  expect(readPlaneWindow(writePlaneWindow(part))).toEqual(part);
  for (const text of ["", "1,2", "0,NaN,0,1", "0.5,0.2,0,1", "-1,2,0,1", "0,1,0,1,0"]) expect(readPlaneWindow(text)).toEqual(WHOLE_PLANE);
});
