// SPDX-License-Identifier: Apache-2.0
import fc from "fast-check";
import { expect, test } from "vitest";

import { toggledKey, treeKeys, treeKeysOf } from "./treeKeys";

const NAMES = ["Net", "Linear", "Linear", "Block", "Linear"];
const PARENTS = [-1, 0, 0, 0, 3];

test("every node has a key of its own, also beside siblings of its name", () => {
  expect(new Set(treeKeys(PARENTS, (node) => NAMES[node]!)).size).toBe(NAMES.length);
});

test("a node keeps its key where others are added after it", () => {
  const before = treeKeys(PARENTS, (node) => NAMES[node]!);
  const after = treeKeys([-1, 0, 0, 0, 0, 4], (node) => ["Net", "Norm", "Linear", "Linear", "Block", "Linear"][node]!);
  expect(after.filter((_, node) => node !== 1)).toEqual(before);
});

test("keys survive the address, and nothing else does", () => {
  fc.assert(
    fc.property(fc.array(fc.string(), { maxLength: 20 }), (names) => {
      const keys = treeKeys(
        names.map(() => -1),
        (node) => names[node]!,
      );
      expect(treeKeysOf(keys.join("."))).toEqual([...new Set(keys)]);
    }),
  );
  expect(treeKeysOf("A.b!..12345678.ok.ok")).toEqual(["ok"]);
  expect(treeKeysOf("")).toEqual([]);
});

test("toggling twice changes nothing", () => {
  expect(toggledKey(toggledKey(["a"], "b"), "b")).toEqual(["a"]);
});
