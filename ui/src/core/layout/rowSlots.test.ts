// SPDX-License-Identifier: Apache-2.0
import { expect, it } from "vitest";

import { RowSlots } from "./rowSlots";

const NONE = (): boolean => false;

it("keeps the elements of rows in sight while it scrolls", () => {
  const slots = new RowSlots();
  expect(slots.of(["a", "b", "c"], NONE)).toEqual([0, 1, 2]);
  expect(slots.of(["b", "c", "d"], NONE)).toEqual([1, 2, 0]);
  expect(slots.of(["a", "b", "c"], NONE)).toEqual([0, 1, 2]);
});

it("gives the elements of other rows to all rows that come, in order", () => {
  const slots = new RowSlots();
  slots.of(["a", "b", "c"], NONE);
  expect(slots.of(["x", "y"], NONE)).toEqual([0, 1]);
  expect(slots.of(["x", "p", "y", "q"], NONE)).toEqual([0, 3, 1, 4]);
});

it("gives no row the element of one that a person uses", () => {
  const slots = new RowSlots();
  slots.of(["a", "b"], NONE);
  expect(slots.of(["x", "y"], (key) => key === "a")).toEqual([1, 2]);
});

it("has one element a row, whatever comes and goes", () => {
  const slots = new RowSlots();
  for (const keys of ["abcdef", "cfgh", "", "hgxyzabc", "zyx", "abcdefghxyz"]) {
    const got = slots.of([...keys], (key) => key === "c");
    expect(new Set(got).size).toBe(keys.length);
  }
});
