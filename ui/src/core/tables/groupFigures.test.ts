// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from "vitest";

import type { FigureColumn } from "./figureTable";
import { groupLines } from "./groupFigures";

const columns: FigureColumn[] = [
  { key: "lr", title: "lr", parameter: 0, tag: -1, figure: null },
  { key: "last loss", title: "loss", parameter: -1, tag: 0, figure: "last" },
];
const rows = [
  { run: "a/1", cells: [0.1, 1] },
  { run: "b/1", cells: [0.1, 9] },
  { run: "a/2", cells: [0.2, NaN] },
  { run: "a/3", cells: [0.1, 2] },
  { run: "a/4", cells: [null, 6] },
];
const groups = [
  { key: "a", runs: ["a/1", "a/2", "a/3", "a/4"] },
  { key: "b", runs: ["b/1"] },
];
const settings: Record<string, number | string> = { a: 0.125, b: 0.1 };
const asIs = { center: "mean", sort: [], isOpen: () => false, settingOf: (group: string) => settings[group] ?? null } as const;

describe("the table of groups", () => {
  it("says how a figure lies among the finite numbers of a group, and what a setting is of its runs together", () => {
    const [first, second] = groupLines(rows, groups, columns, asIs);
    expect(first).toMatchObject({ group: "a", runs: 4 });
    expect(first!.cells).toEqual([
      { value: 0.125, deviation: null, low: null, high: null, count: 0 },
      { value: 3, deviation: Math.sqrt(7), low: 1, high: 6, count: 3 },
    ]);
    expect(second!.cells).toEqual([
      { value: 0.1, deviation: null, low: null, high: null, count: 0 },
      { value: 9, deviation: null, low: 9, high: 9, count: 1 },
    ]);
    expect(groupLines(rows, groups, columns, { ...asIs, center: "median" })[0]!.cells[1]).toMatchObject({ value: 2 });
  });

  it("has the runs of an open group below it, and is sorted by groups", () => {
    const keys = (order: Partial<Parameters<typeof groupLines>[3]>): string[] =>
      groupLines(rows, groups, columns, { ...asIs, ...order }).map(({ key }) => key);
    expect(keys({ isOpen: (group) => group === "a" })).toEqual(["group a", "a/1", "a/2", "a/3", "a/4", "group b"]);
    expect(keys({ sort: [{ column: "last loss", isDescending: true }] })).toEqual(["group b", "group a"]);
    expect(keys({ sort: [{ column: "lr", isDescending: false }] })).toEqual(["group b", "group a"]);
  });
});
