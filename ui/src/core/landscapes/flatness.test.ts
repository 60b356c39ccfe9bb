// SPDX-License-Identifier: Apache-2.0
import { expect, it } from "vitest";

import { flatness, isFalling, type RisingLandscape } from "./flatness";

type Rise = NonNullable<RisingLandscape["rise"]>;

function rise(scale: number, radius = [0.01, 0.05, 0.1, 0.2]): Rise {
  return { radius, mean: radius.map((r) => scale * r), highest: radius.map((r) => 2 * scale * r), lowest: radius.map(() => 0) };
}

function entry(run: string, method: string, found: Rise | null, plane_id = "", interval: number[] = []): RisingLandscape {
  return { run, method, plane_id, interval, rise: found };
}

it("compares runs on planes of the same kind, flattest first, at a tenth of the weights' norm", () => {
  const entries = [
    entry("a", "pca", rise(1), "p1", [1, 9]),
    entry("b", "pca", null, "p2", [1, 9]),
    entry("a", "random", rise(6), "r1"),
    entry("b", "random", rise(3), "r2"),
  ];
  expect(flatness(entries)).toEqual({
    ...{ radius: 0.1, isCommon: false, method: "random" },
    runs: [
      { run: "b", mean: 0.30000000000000004, highest: 0.6000000000000001, lowest: 0 },
      { run: "a", mean: 0.6000000000000001, highest: 1.2000000000000002, lowest: 0 },
    ],
  });
});

it("prefers a common plane, unless it leaves a run out", () => {
  const common = [entry("a", "three", rise(1), "same"), entry("b", "three", rise(2), "same")];
  const own = [entry("a", "random", rise(5), "r1"), entry("b", "random", rise(4), "r2")];
  expect(flatness([...own, ...common])).toMatchObject({ isCommon: true, runs: [{ run: "a" }, { run: "b" }] });
  const third = flatness([...own, entry("c", "random", rise(1), "r3"), ...common]);
  expect(third).toMatchObject({ isCommon: false, method: "random", runs: [{ run: "c" }, { run: "b" }, { run: "a" }] });
});

it("takes distances that all of them have", () => {
  const entries = [entry("a", "pca", rise(1, [0.2, 0.3])), entry("b", "pca", rise(2, [0.1, 0.2]))];
  expect(flatness(entries)?.radius).toBe(0.2);
  expect(flatness([...entries, entry("c", "pca", rise(1, [0.5]))])).toBeNull();
});

it("takes the path that ends last", () => {
  const entries = [entry("a", "pca", rise(7), "", [20, 30]), entry("a", "pca", rise(1), "", [1, 19])];
  expect(flatness(entries)?.runs[0]!.mean).toBeCloseTo(0.7);
});

it("puts an infinite rise last, and says nothing without a rise", () => {
  const infinite = { ...rise(1), mean: [1, 2, null, null], highest: [1, 2, null, null] };
  const found = flatness([entry("a", "random", infinite), entry("b", "random", rise(90))]);
  expect(found?.runs.map(({ run, mean }) => [run, mean])).toEqual([
    ["b", 9],
    ["a", null],
  ]);
  expect(flatness([entry("a", "random", null)])).toBeNull();
  expect(flatness([])).toBeNull();
});

it("says a fall only if it is one beside the rise", () => {
  expect(isFalling({ run: "a", mean: 1, highest: 2, lowest: -0.2 })).toBe(true);
  expect(isFalling({ run: "a", mean: 1, highest: 2, lowest: -0.05 })).toBe(false);
  expect(isFalling({ run: "a", mean: null, highest: null, lowest: -5 })).toBe(false);
  expect(isFalling({ run: "a", mean: -1, highest: -0.5, lowest: -2 })).toBe(true);
});
