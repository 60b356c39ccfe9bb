// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from "vitest";

import { histogramCsv, histogramJson } from "./histogramTable";
import type { Histograms } from "../series/histograms";

const of = (...values: number[]): Float64Array => Float64Array.from(values);
const zeros = of(0, 0);
const histograms: Histograms = {
  run: "a",
  tag: "w",
  ...{ first: 1, last: 4, returned: 2 },
  steps: 2,
  in_range: 2,
  steps_per_row: 1,
  problem: null,
  start_wall_time: 5,
  version: 1,
  cursor: null,
  kept: 0,
  error: null,
  step: of(1, 4),
  last_step: of(1, 4),
  wall_time: of(5, 6),
  last_wall_time: of(5, 6),
  merged: of(1, 1),
  unreadable: zeros,
  bucket_start: of(0, 2, 3),
  minimum: of(-1, 0),
  maximum: of(1, 2),
  sum: zeros,
  total: of(5, 7),
  nan: of(0, 2),
  positive_infinity: zeros,
  negative_infinity: of(0, 1),
  left: of(-1, 0, 0),
  right: of(0, 1, 2),
  count: of(2, 3, 4),
};

describe("histograms as a file", () => {
  it("hold every bucket, and the counts of what is in none", () => {
    const lines = histogramCsv(histograms).trimEnd().split("\r\n");
    expect(lines.slice(1)).toEqual(["1,5,-1,0,2", "1,5,0,1,3", "4,6,0,2,4", "4,6,nan,nan,2", "4,6,-inf,-inf,1"]);
  });

  it("hold the same as JSON", () => {
    const { run, tag, steps } = JSON.parse(histogramJson(histograms)) as { run: string; tag: string; steps: unknown[] };
    expect([run, tag]).toEqual(["a", "w"]);
    expect(steps).toEqual([
      { step: 1, wall_time: 5, left: [-1, 0], right: [0, 1], count: [2, 3], nan: 0, positive_infinity: 0, negative_infinity: 0 },
      { step: 4, wall_time: 6, left: [0], right: [2], count: [4], nan: 2, positive_infinity: 0, negative_infinity: 1 },
    ]);
  });
});
