// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { innerCalls, openAtFirst, visibleCalls, withCallers, type CallChange } from "./callChanges";

const call = (parent: number, before: number, after: number, state = "slower"): CallChange => ({
  ...{ parent, state, before_ns: 0, after_ns: 0 },
  total_before_ns: before,
  total_after_ns: after,
});
const CALLS = [call(-1, 10, 90), call(-1, 200, 100), call(0, 5, 6), call(0, 5, 84), call(3, 0, 79, "added")];

test("the greatest change is first, whatever its sign", () => {
  expect(innerCalls(CALLS).get(-1)).toEqual([1, 0]);
  expect(innerCalls(CALLS).get(0)).toEqual([3, 2]);
});

test("what passes is shown with its callers", () => {
  expect([...withCallers(CALLS, (row) => CALLS[row]!.state === "added")].sort()).toEqual([0, 3, 4]);
});

test("rows follow the call that they are in", () => {
  const all = new Set(CALLS.keys());
  const open = openAtFirst(CALLS, 50);
  expect([...open]).toEqual([0, 3]);
  expect(visibleCalls(innerCalls(CALLS), all, (row) => open.has(row))).toEqual([
    { row: 1, depth: 0, hasInner: false, isOpen: false },
    { row: 0, depth: 0, hasInner: true, isOpen: true },
    { row: 3, depth: 1, hasInner: true, isOpen: true },
    { row: 4, depth: 2, hasInner: false, isOpen: false },
    { row: 2, depth: 1, hasInner: false, isOpen: false },
  ]);
  expect(visibleCalls(innerCalls(CALLS), all, () => false).map(({ row }) => row)).toEqual([1, 0]);
});
