// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from "vitest";

import { groupWithoutEnds, type Group } from "../series/groupStatistics";
import { groupPoint, groupsCsv, groupsJson, groupSummary } from "./groupTable";

const column = (...values: number[]): Float32Array => Float32Array.from(values);
const group: Group = {
  ...{ key: "lr = 0.1", part: "", y: "loss", alignment: "linear", cursor: null, kept: 0 },
  error: null,
  runs: 3,
  missing: [],
  problem: null,
  points: 2,
  returned: 2,
  reduced: false,
  interpolated: false,
  x: Float64Array.of(0, 10),
  count: column(3, 2),
  mean: column(2, 1.5),
  median: column(2, 1),
  low: column(1, NaN),
  high: column(3, 2),
  deviation: column(0.5, NaN),
  lower_quartile: column(1.5, 1),
  upper_quartile: column(2.5, 2),
  standard_error: column(0.25, NaN),
  confidence: column(1.5, NaN),
};

describe("groups as tables", () => {
  it("shows the center, the band and the number of runs at a row", () => {
    expect(groupPoint(group, 0, "mean", "range")).toEqual({ key: "lr = 0.1", part: "", x: 0, center: 2, low: 1, high: 3, count: 3 });
    expect(groupPoint(group, 0, "mean", "deviation")).toMatchObject({ low: 1.5, high: 2.5 });
    expect(groupPoint(group, 0, "mean", "error")).toMatchObject({ low: 1.75, high: 2.25 });
    expect(groupPoint(group, 0, "median", "confidence")).toMatchObject({ center: 2, low: 0.5, high: 3.5 });
    expect(groupPoint(group, 1, "median", "none")).toMatchObject({ center: 1, low: null, high: null, count: 2 });
    expect(groupPoint(group, 2, "mean", "range")).toBeNull();
  });

  it.each(["deviation", "error", "confidence"] as const)("says no %s of a single run", (spread) => {
    expect(groupPoint(group, 1, "mean", spread)).toMatchObject({ center: 1.5, low: null, high: null });
  });

  it("lays the error of the mean around the mean, also beside the median", () => {
    const skewed = { ...group, median: column(1, 1) };
    expect(groupPoint(skewed, 0, "median", "error")).toMatchObject({ center: 1, low: 1.75, high: 2.25 });
    expect(groupPoint(skewed, 0, "median", "deviation")).toMatchObject({ center: 1, low: 0.5, high: 1.5 });
  });

  it("sums up what is drawn, without what is not finite", () => {
    expect(groupSummary(group, "median")).toEqual({ key: "lr = 0.1", runs: 3, points: 2, last: 1, lowest: 1, highest: 3 });
  });

  it("hold nothing beyond the ends of a baseline", () => {
    const beyond = { ...group, count: column(3, 0), mean: column(2, NaN), points: 7 };
    const got = groupWithoutEnds(beyond);
    expect(groupSummary(got, "mean")).toMatchObject({ last: 2, points: 6 });
    expect([...got.x]).toEqual([0]);
    expect(groupPoint(got, 1, "mean", "range")).toBeNull();
    expect(groupWithoutEnds(group)).toBe(group);
    expect(groupWithoutEnds({ ...group, count: column(0, 0) }).x).toHaveLength(0);
  });

  it("are saved with every column, the same in both ways", () => {
    expect(groupsCsv([group]).split("\n")[1]).toBe("lr = 0.1,0,3,2,2,1,3,0.5,1.5,2.5,0.25,1.5");
    const [saved] = JSON.parse(groupsJson([group])) as Record<string, unknown>[];
    expect(saved).toMatchObject({ group: "lr = 0.1", runs: 3, x: [0, 10], low: [1, "NaN"], upper_quartile: [2.5, 2] });
  });
});
