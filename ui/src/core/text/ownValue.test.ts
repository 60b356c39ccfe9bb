// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";

import { ownValue } from "./ownValue";

test("names that every object inherits have no value until they are given one", () => {
  const read = JSON.parse('{"lr": 0.1, "__proto__": 2}') as Record<string, number>;
  expect(["lr", "__proto__", "constructor", "toString", "hasOwnProperty"].map((key) => ownValue(read, key))).toEqual([
    0.1,
    2,
    undefined,
    undefined,
    undefined,
  ]);
});
