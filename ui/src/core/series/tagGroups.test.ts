// SPDX-License-Identifier: Apache-2.0
import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { groupByPrefix } from "./tagGroups";

describe("groups of tags", () => {
  const tags = (...names: string[]): { tag: string }[] => names.map((tag) => ({ tag }));
  const shape = (names: string[]): [string, string[]][] =>
    groupByPrefix(tags(...names)).map(({ prefix, items }) => [prefix, items.map(({ tag }) => tag)]);

  it("follow the prefix, with those that are alone together in front, and keep the order of tags", () => {
    expect(shape(["train/loss", "lr", "train/acc", "val/loss", "/odd", "layer10/w", "layer2/w", "layer2/b", "layer10/b"])).toEqual([
      ["", ["lr", "val/loss", "/odd"]],
      ["layer2", ["layer2/w", "layer2/b"]],
      ["layer10", ["layer10/w", "layer10/b"]],
      ["train", ["train/loss", "train/acc"]],
    ]);
  });

  it("have the metrics of the machine last", () => {
    expect(shape(["system/a", "system/b", "train/a", "train/b", "lr"]).map(([prefix]) => prefix)).toEqual(["", "train", "system"]);
  });

  it("lose no tag", () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.string({ unit: fc.constantFrom("a", "b", "/") })), (names) => {
        expect(
          shape(names)
            .flatMap(([, items]) => items)
            .sort(),
        ).toEqual([...names].sort());
      }),
    );
  });
});
