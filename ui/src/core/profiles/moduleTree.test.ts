// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";

import { layoutFlame } from "./flame";
import { ModuleTree, type ModuleColumns } from "./moduleTree";

const COLUMNS: ModuleColumns = {
  name: ["Net", "Linear_0", "Block", "Linear_1", "Loss"],
  path: ["Net", "Net/Linear_0", "Net/Block", "Net/Block/Linear_1", "Loss"],
  parent: [-1, 0, 0, 2, -1],
  count: [1, 1, 1, 2, 1],
  host_total_ns: [100, 10, 80, 30, 20],
  host_self_ns: [10, 10, 50, 30, 20],
  ...{ device_total_ns: null, device_self_ns: null, backward_ns: null, flops: null, memory_bytes: null },
};
const tree = new ModuleTree(COLUMNS);
const byTime = (one: number, other: number): number => tree.times[other]! - tree.times[one]!;

test("rows are children after their parents, sorted within a parent", () => {
  expect(tree.rows(null, null, byTime)).toEqual([0, 2, 3, 1, 4]);
  expect(tree.rows(new Set([0]), null, byTime)).toEqual([0, 2, 1, 4]);
  expect(tree.rows(new Set(), null, (one, other) => byTime(other, one))).toEqual([4, 0]);
  expect(tree.depth).toEqual([0, 1, 1, 2, 0]);
  expect(tree.whole).toBe(120);
});

test("a search keeps what matches and all above it", () => {
  expect(
    tree.rows(
      null,
      tree.kept((path) => path.endsWith("Linear_1")),
      byTime,
    ),
  ).toEqual([0, 2, 3]);
});

test("the hot path follows half of the time", () => {
  expect(tree.hotPath()).toEqual([0, 2]);
  expect(new ModuleTree({ ...COLUMNS, host_total_ns: null }).hotPath()).toEqual([]);
});

test("a flame graph has the times of the tree and one color for a class", () => {
  const flame = tree.flame();
  expect(layoutFlame(flame).total).toBe(120);
  expect(flame.names.map((name) => [name, flame.colors[flame.names.indexOf(name)]])[1]![1]).toBe(
    flame.colors[flame.names.indexOf("Linear_1")],
  );
});
