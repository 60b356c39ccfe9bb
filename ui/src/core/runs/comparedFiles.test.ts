// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";

import { comparedFiles, hasBoth, type ListedFile } from "./comparedFiles";

function file(path: string, sha256: string, left_out: string | null = null): ListedFile {
  return { name: path, path, sha256, left_out };
}

test("files that differ come first, and those of one run differ", () => {
  const pairs = comparedFiles(
    [file("same", "a"), file("code", "a"), file("gone", "a")],
    [file("same", "a"), file("code", "b"), file("new", "c")],
  );
  expect(pairs.map(({ path, differs }) => [path, differs])).toEqual([
    ["code", true],
    ["gone", true],
    ["new", true],
    ["same", false],
  ]);
  expect(pairs.filter(hasBoth).map(({ path }) => path)).toEqual(["code", "same"]);
});

test("a file that was not kept differs from one that was, and not from itself", () => {
  const left = file("big.pt", "", "too_large");
  expect(comparedFiles([left], [file("big.pt", "a")])[0]).toMatchObject({ differs: true });
  expect(comparedFiles([left], [left]).map((pair) => [pair.differs, hasBoth(pair)])).toEqual([[false, false]]);
});
