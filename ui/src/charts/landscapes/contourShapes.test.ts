// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";

import type { Landscape } from "../../core/landscapes/landscape";
import { contourLevels, lossScale, sortedLosses } from "../../core/landscapes/lossScale";
import { drawnSurface } from "../../core/landscapes/surface";
import { labelPlace } from "./contourLabels";
import { contourShapes } from "./contourShapes";
import type { DrawnLandscape } from "./drawnLandscape";

const X = Float64Array.from({ length: 61 }, (_, index) => -3 + index / 10);
const BOWL = Float64Array.from({ length: 61 * 61 }, (_, index) => X[index % 61]! ** 2 + X[Math.floor(index / 61)]! ** 2);

function drawn(losses: Float64Array, isLog = false): DrawnLandscape {
  const landscape = {
    run: "r",
    tag: "t",
    id: "1",
    unit: "",
    x: X,
    y: X,
    losses,
    evaluated: null,
    path: null,
    facts: null,
  } as unknown as Landscape;
  const surface = drawnSurface(landscape);
  return { landscape, surface, scale: lossScale(sortedLosses([surface.losses]), isLog, "none")!, color: "red", name: "r" };
}

test("the contours of a bowl are circles at the levels, open at the edge of the grid", () => {
  const bowl = drawn(BOWL);
  const levels = contourLevels(bowl.scale, 6);
  contourShapes(bowl, 6).forEach(({ lines }, index) => {
    const radius = Math.sqrt(levels[index]!);
    expect(lines.length).toBe(radius < 3 ? 1 : 4);
    for (const [x, y] of lines.flat()) {
      expect(Math.hypot(x, y)).toBeCloseTo(radius, 1);
      if (radius > 3) expect(Math.max(Math.abs(x), Math.abs(y))).toBeLessThanOrEqual(3);
    }
  });
});

test("a hole has no line around it, and the lines end at it", () => {
  const hole = BOWL.map((loss, index) => (X[index % 61]! > 0.95 && Math.abs(X[Math.floor(index / 61)]!) < 0.35 ? NaN : loss));
  const [contour] = contourShapes(drawn(hole), 8);
  const radius = Math.sqrt(contourLevels(drawn(hole).scale, 8)[0]!);
  expect(contour!.lines).not.toEqual([]);
  for (const [x, y] of contour!.lines.flat()) {
    expect(Math.hypot(x, y)).toBeCloseTo(radius, 1);
    expect(x > 1.01 && Math.abs(y) < 0.34).toBe(false);
  }
});

test("equal losses and lines have no contours", () => {
  expect(contourShapes(drawn(BOWL.map(() => 1)), 8)).toEqual([]);
});

test("a label lies on the straightest part of its line, away from others", () => {
  const area = { left: 0, top: 0, width: 400, height: 400 };
  const line = [
    [0, 200],
    [200, 200],
    [220, 100],
    [240, 200],
    [400, 200],
  ] as const;
  const first = labelPlace([line], 30, area, [])!;
  expect(first).toMatchObject({ y: 200, angle: 0 });
  const second = labelPlace([line], 30, area, [first])!;
  expect(Math.abs(second.x - first.x)).toBeGreaterThan(30);
  expect(
    labelPlace(
      [
        [
          [100, 100],
          [120, 100],
        ],
      ],
      30,
      area,
      [],
    ),
    "too short a line",
  ).toBeNull();
  const backwards = labelPlace(
    [
      [
        [390, 200],
        [10, 210],
      ],
    ],
    30,
    area,
    [],
  )!;
  expect(Math.abs(backwards.angle), "never upside down").toBeLessThan(0.1);
});
