// SPDX-License-Identifier: Apache-2.0
import fc from "fast-check";
import { expect, it } from "vitest";

import { labelChange } from "./labelChange";

const labels = fc.uniqueArray(fc.constantFrom("paper", "baseline", "bad", "论文"));

it("makes of the list that somebody saw the list that he wants", () => {
  fc.assert(
    fc.property(labels, labels, (from, to) => {
      expect(labelChange(from, to)(from).sort()).toEqual([...to].sort());
    }),
  );
});

it("leaves what others added or removed meanwhile", () => {
  const add = labelChange(["a"], ["a", "mine"]);
  expect(add(["theirs"])).toEqual(["theirs", "mine"]);
  expect(labelChange(["a", "b"], ["a"])(["b", "a", "theirs"])).toEqual(["a", "theirs"]);
});
