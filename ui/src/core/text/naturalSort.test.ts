// SPDX-License-Identifier: Apache-2.0
import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { compareNames, orderedBy } from "./naturalSort";

describe("natural sort", () => {
  it("orders without touching its input", () => {
    const items = [3, 1, 2];
    expect(orderedBy(items, (item) => item, false)).toEqual([1, 2, 3]);
    expect(items).toEqual([3, 1, 2]);
  });

  it("counts as people do, and keeps a directory together", () => {
    const rates = ["0.0001", "0.001", "0.01", "0.1", "1"];
    const runs = rates.flatMap((rate) => ["1", "2", "10"].map((seed) => `adam/lr${rate}/seed${seed}`));
    const ordered = ["9", "10", "a/b", "a/c", "a1", "a2/x", "a10", ...runs, "b", "B2", "b02c", "b2d"];
    expect([...ordered].reverse().sort(compareNames)).toEqual([...ordered].sort(compareNames));
    expect([...runs].reverse().sort(compareNames)).toEqual(runs);
    const sizes = ["lr0/x", "lr0.005", "lr0.02", "lr0.05", "lr0.25", "lr0.5", "lr1", "lr2.9", "lr2.10", "v0.9.1", "v0.10.2"];
    expect([...sizes].reverse().sort(compareNames)).toEqual(sizes);
    expect(["a10", "a2/x", "a1", "a/c", "a/b", "10", "9"].sort(compareNames)).toEqual(ordered.slice(0, 7));
  });

  it("is an order: whatever the names, sorting them any way round gives the same", () => {
    const piece = fc.constantFrom("a", "A", "1", "01", "10", "0.", ".", "/", "é", "_", "文", "");
    const some = fc.uniqueArray(
      fc.array(piece, { maxLength: 5 }).map((pieces) => pieces.join("")),
      { maxLength: 8 },
    );
    fc.assert(
      fc.property(some, (list) => {
        expect([...list].reverse().sort(compareNames)).toEqual([...list].sort(compareNames));
      }),
    );
  });
});
