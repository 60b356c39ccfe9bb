// SPDX-License-Identifier: Apache-2.0
import { expect, it } from "vitest";

import { focusAfter, type MarkPlace } from "./markFocus";

const at = { x: 0, y: 0 };
const LINES = [
  [at, at, at],
  [at, at],
];

function pressed(...keys: string[]): MarkPlace | null {
  return keys.reduce<MarkPlace | null>((place, key) => focusAfter(key, place, LINES) ?? place, null);
}

it("arrow keys move along a line and between lines, and stop at the ends", () => {
  expect(pressed("ArrowRight")).toEqual({ line: 0, index: 0 });
  expect(pressed("ArrowRight", "ArrowRight")).toEqual({ line: 0, index: 1 });
  expect(pressed("Home", "ArrowLeft")).toEqual({ line: 0, index: 0 });
  expect(pressed("Home", "ArrowRight", "ArrowRight", "ArrowRight", "ArrowDown")).toEqual({ line: 1, index: 1 });
  expect(pressed("End", "ArrowDown")).toEqual({ line: 1, index: 1 });
  expect(pressed("End", "ArrowUp")).toEqual({ line: 0, index: 1 });
});

it("other keys and a chart without marks move nothing", () => {
  expect(focusAfter("a", null, LINES)).toBeNull();
  expect(focusAfter("Home", null, [[]])).toBeNull();
});
