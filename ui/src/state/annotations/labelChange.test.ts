// SPDX-License-Identifier: Apache-2.0
import { expect, it } from "vitest";

import { labelsAfter } from "./labelChange";

it("adds each label once and leaves what others added or removed concurrently", () => {
  const add = { added: ["mine"], removed: [] };
  expect(labelsAfter(add, ["theirs"])).toEqual(["theirs", "mine"]);
  expect(labelsAfter(add, ["mine", "a"])).toEqual(["mine", "a"]);
  expect(labelsAfter({ added: [], removed: ["b"] }, ["b", "a", "theirs"])).toEqual(["a", "theirs"]);
  expect(labelsAfter({ added: [], removed: ["b"] }, ["a"])).toEqual(["a"]);
});
