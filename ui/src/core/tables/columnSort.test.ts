// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";

import { nextSort, pressedSort } from "./columnSort";

const up = (column: string) => ({ column, isDescending: false });
const down = (column: string) => ({ column, isDescending: true });

test("presses turn the order round, then remove it", () => {
  expect(nextSort(null, "lr")).toEqual(up("lr"));
  expect(nextSort(up("lr"), "lr")).toEqual(down("lr"));
  expect(nextSort(down("lr"), "lr")).toBeNull();
  expect(nextSort(null, "updated", true)).toEqual(down("updated"));
  expect(nextSort(down("updated"), "updated", true)).toEqual(up("updated"));
  expect(nextSort(up("updated"), "updated", true)).toBeNull();
});

test("a press with Shift keeps the other columns", () => {
  const press = (column: string, isMore: boolean) => pressedSort([up("lr"), down("loss")], column, { isMore, descendsFirst: false });
  expect(press("depth", false)).toEqual([up("depth")]);
  expect(press("depth", true)).toEqual([up("lr"), down("loss"), up("depth")]);
  expect(press("lr", true)).toEqual([down("lr"), down("loss")]);
  expect(press("loss", true)).toEqual([up("lr")]);
  expect(press("loss", false)).toEqual([]);
});
