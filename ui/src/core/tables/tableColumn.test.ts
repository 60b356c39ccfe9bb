// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";

import { bandSpans, hasBands } from "./tableColumn";

const columns = ["a", "a", null, "b", "a"].map((key) => ({ band: key === null ? null : { key, title: key.toUpperCase(), mark: null } }));

test("neighbors of a band have one head", () => {
  expect(bandSpans(columns).map(({ key, start, size }) => [key, start, size])).toEqual([
    ["a", 0, 2],
    ["b", 3, 1],
    ["a", 4, 1],
  ]);
  expect(bandSpans(columns.slice(2, 3))).toEqual([]);
});

test("one band for all columns says nothing", () => {
  expect([hasBands(columns), hasBands(columns.slice(0, 2)), hasBands([])]).toEqual([true, false, false]);
});
