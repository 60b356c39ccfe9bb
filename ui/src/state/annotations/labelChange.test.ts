// SPDX-License-Identifier: Apache-2.0
import fc from "fast-check";
import { expect, it } from "vitest";

import { labelChange } from "./labelChange";

const labels = fc.uniqueArray(fc.constantFrom("paper", "baseline", "bad", "论文"));

it("turns the old list into the new one", () => {
  fc.assert(
    fc.property(labels, labels, (from, to) => {
      expect(labelChange(from, to)(from).sort()).toEqual([...to].sort());
    }),
  );
});

it("leaves what others added or removed concurrently", () => {
  const add = labelChange(["a"], ["a", "mine"]);
  expect(add(["theirs"])).toEqual(["theirs", "mine"]);
  expect(labelChange(["a", "b"], ["a"])(["b", "a", "theirs"])).toEqual(["a", "theirs"]);
});
