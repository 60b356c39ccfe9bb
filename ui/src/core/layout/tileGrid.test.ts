// SPDX-License-Identifier: Apache-2.0
import { expect, it } from "vitest";

import { tileGrid } from "./tileGrid";

const SQUARE = { width: 28, height: 28 };

it("shows one picture where one fills the room", () => {
  expect(tileGrid({ width: 300, height: 300 }, SQUARE, 6)).toEqual({ count: 1, columns: 1 });
});

it("has pictures beside each other in a wide room, one below another for wide pictures", () => {
  expect(tileGrid({ width: 900, height: 300 }, SQUARE, 6)).toEqual({ count: 3, columns: 3 });
  expect(tileGrid({ width: 300, height: 300 }, { width: 112, height: 28 }, 6)).toEqual({ count: 4, columns: 1 });
});

it("has no more than there are, and needs no size", () => {
  expect(tileGrid({ width: 900, height: 300 }, SQUARE, 1)).toEqual({ count: 1, columns: 1 });
  expect(tileGrid({ width: 0, height: 0 }, SQUARE, 3).count).toBe(1);
});
