// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { scopeNames } from "./scopeNames";

test("scopes have the names of their modules in the network", () => {
  const labels = ["Default", "layers-ModuleList", "3-Block", "mlp-Sequential", "2-Linear"];
  expect(scopeNames(labels, [-1, 0, 1, 2, 3])).toEqual(["", "layers", "layers.3", "layers.3.mlp", "layers.3.mlp.2"]);
  expect(scopeNames(["LeNet5", "Conv2d[conv-1]"], [-1, 0])).toEqual(["", "conv-1"]);
});
