// SPDX-License-Identifier: Apache-2.0
import { describe, expect, test } from "vitest";

import { facetPlans, type ChartPlan } from "./chartPlan";
import { boundParts, layoutSections, matchingSections } from "./layoutPlan";

const TAGS = [
  { tag: "acc", runs: ["a", "b"] },
  { tag: "low", runs: ["a", "b"] },
  { tag: "high", runs: ["a"] },
  { tag: "loss", runs: ["b"] },
];
const lines = (title: string, ...tags: string[]) => ({ title, patterns: tags, tags, margins: [], unusable: [] });
const MARGIN = { ...lines("margin"), margins: [{ value: "acc", lower: "low", upper: "high" }] };
const SECTIONS = layoutSections(
  {
    categories: [
      { title: "one", closed: false, charts: [lines("both", "acc", "loss"), lines("both", "acc"), lines("none")] },
      { title: "two", closed: true, charts: [MARGIN] },
    ],
    unread: [],
  },
  TAGS,
);
const margin = SECTIONS[1]!.plans[0]!;

describe("the charts of a layout", () => {
  test("have a key each, also of equal titles", () => {
    const keys = SECTIONS.flatMap(({ plans }) => plans.map(({ key }) => key));
    expect(new Set(keys).size).toBe(4);
  });

  test("show the runs that hold their tags", () => {
    expect(SECTIONS[0]!.plans[0]!.parts).toEqual([
      { name: "acc", runs: ["a", "b"] },
      { name: "loss", runs: ["b"] },
    ]);
    expect(SECTIONS.map(({ isClosed }) => isClosed)).toEqual([false, true]);
  });

  test("have the bounds of a margin, and name one that a run lacks", () => {
    expect(boundParts(margin)).toEqual([
      { name: "low", runs: ["a", "b"] },
      { name: "high", runs: ["a"] },
    ]);
    expect(margin.layout!.unbounded).toEqual(["high"]);
    const [facet] = facetPlans(margin, [{ key: "b", runs: ["b"] }] as never) as [ChartPlan];
    expect(boundParts(facet)).toEqual([
      { name: "low", runs: ["b"] },
      { name: "high", runs: [] },
    ]);
  });

  test("match by title or tag", () => {
    const titles = (text: string) =>
      matchingSections(SECTIONS, (one) => one.includes(text)).map(({ title, plans }) => [title, plans.length]);
    expect(titles("loss")).toEqual([["one", 1]]);
    expect(titles("margin")).toEqual([["two", 1]]);
    expect(titles("nothing")).toEqual([]);
  });
});
