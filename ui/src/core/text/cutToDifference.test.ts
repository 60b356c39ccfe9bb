// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { cutToDifference } from "./cutToDifference";

test("names that begin alike keep what differs", () => {
  const names = ["void at::native::elementwise_kernel<128, AddFunctor>", "void at::native::elementwise_kernel<128, MulFunctor>", "gemm"];
  expect(names.map((name) => cutToDifference(name, names, 19))).toEqual(["…l<128, AddFunctor>", "…l<128, MulFunctor>", "gemm"]);
  expect(cutToDifference("abcdefghijklmnop", ["x"], 9)).toBe("ab…klmnop");
  expect(cutToDifference("abc", ["abc"], 9)).toBe("abc");
});
