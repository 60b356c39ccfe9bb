// SPDX-License-Identifier: Apache-2.0
import { expect, it } from "vitest";

import { SvgContext } from "../frame/svgContext";
import { paintStepLines, stepLinesScale, type StepLine, type StepLinesPicture } from "./paintStepLines";

const size = { width: 588, height: 238 };
const yTicks = (most: number): { at: number; label: string }[] => [
  { at: 0, label: "0" },
  { at: most, label: "top" },
];

function painted(lines: readonly StepLine[], change: Partial<StepLinesPicture> = {}): string {
  const surface = new SvgContext();
  paintStepLines(surface, size, 1, (color) => color, {
    lines,
    most: 1,
    xTicks: null,
    yTicks,
    limit: null,
    chosen: null,
    hovered: null,
    ...change,
  });
  return surface.body();
}

function line(values: readonly number[], change: Partial<StepLine> = {}): StepLine {
  return { key: "a", color: "red", x: Float64Array.from(values, (_, place) => place + 1), y: Float64Array.from(values), ...change };
}

it("has zero at the bottom and the greatest value at the top", () => {
  const { y, range } = stepLinesScale(size, { lines: [line([2, 8])], most: 1, limit: null });
  expect([y(0), y(8)]).toEqual([216, 16]);
  expect(range[0]).toBeLessThan(1);
  expect(stepLinesScale(size, { lines: [line([2])], most: 1, limit: 10 }).y(10)).toBe(16);
});

it("marks slow steps and the chosen one", () => {
  const svg = painted([line([2, 8, 2], { marks: [1] })], { chosen: 2 });
  expect(svg).toContain("var(--bad)");
  expect(svg).toContain("var(--accent)");
  expect(painted([line([2, 8, 2])])).not.toContain("var(--bad)");
});

it("keeps the extremes of many steps in a pixel", () => {
  const values = Array.from({ length: 50_000 }, (_, place) => (place === 31_111 ? 100 : 1));
  const svg = painted([line(values)]);
  expect(svg.length).toBeLessThan(60_000);
  expect(svg).toMatch(/[ ,]16(?=[^\d.])/); // up to the top
});

it("draws nothing but axes without steps", () => {
  expect(painted([])).not.toContain("red");
});

it("has a gap where a step has no value", () => {
  const svg = painted([line([2, NaN, 8, 4])]);
  expect(svg).not.toContain("NaN");
  const [, path] = /d="([^"]*)" fill="none" stroke="red"/.exec(svg)!;
  expect(path!.match(/M/g)).toHaveLength(2);
  expect(svg.match(/h0" stroke="red"/g), "dots").toHaveLength(3);
});
