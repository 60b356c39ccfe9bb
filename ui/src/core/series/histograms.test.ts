// SPDX-License-Identifier: Apache-2.0
import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { bucketAt, bucketExtent, completedHistograms, finiteCount, quantiles, spreadRow, type Histograms } from "./histograms";

type Bucket = [left: number, right: number, count: number];

function histogramsOf(rows: Bucket[][]): Histograms {
  const flat = rows.flat();
  const zeros = new Float64Array(rows.length);
  const starts = rows.reduce((list, row) => [...list, list[list.length - 1]! + row.length], [0]);
  return {
    run: "run",
    tag: "tag",
    ...{ first: 0, last: rows.length, returned: rows.length },
    steps: rows.length,
    in_range: rows.length,
    steps_per_row: 1,
    problem: null,
    start_wall_time: 0,
    version: 1,
    cursor: "c",
    kept: 0,
    error: null,
    step: Float64Array.from(rows.keys()),
    last_step: Float64Array.from(rows.keys()),
    wall_time: zeros,
    last_wall_time: zeros,
    merged: zeros.map(() => 1),
    unreadable: zeros,
    bucket_start: Float64Array.from(starts),
    minimum: Float64Array.from(rows, (row) => Math.min(...row.map(([left]) => left))),
    maximum: Float64Array.from(rows, (row) => Math.max(...row.map(([, right]) => right))),
    sum: zeros,
    total: zeros,
    nan: zeros,
    positive_infinity: zeros,
    negative_infinity: zeros,
    left: Float64Array.from(flat, ([left]) => left),
    right: Float64Array.from(flat, ([, right]) => right),
    count: Float64Array.from(flat, ([, , count]) => count),
  };
}

const buckets = fc
  .array(fc.tuple(fc.double({ min: 0, max: 5, noNaN: true }), fc.nat(1000)), { minLength: 1, maxLength: 30 })
  .map((parts) => {
    let at = -3;
    return parts.map(([width, count]): Bucket => [at, (at += width), count]);
  });

describe("spreadRow", () => {
  it("conserves the counts whatever the number of pixels", () => {
    fc.assert(
      fc.property(buckets, fc.integer({ min: 1, max: 700 }), (row, columns) => {
        const histograms = histogramsOf([row]);
        const extent = bucketExtent(histograms);
        fc.pre(extent !== null);
        const spread = spreadRow(histograms, 0, extent!, columns);
        const sum = spread.reduce((total, value) => total + value, 0);
        expect(sum).toBeCloseTo(finiteCount(histograms, 0), 3);
      }),
    );
  });

  it("puts a bucket at its edges", () => {
    const histograms = histogramsOf([
      [
        [0, 2, 4],
        [2, 2, 5],
        [3, 4, 1],
      ],
    ]);
    expect([...spreadRow(histograms, 0, [0, 4], 4)]).toEqual([2, 2, 5, 1]);
    expect([...spreadRow(histograms, 0, [0, 4], 2)]).toEqual([4, 6]);
  });
});

describe("completedHistograms", () => {
  it("puts the rows that are known before those that were sent", () => {
    fc.assert(
      fc.property(fc.array(buckets, { minLength: 1, maxLength: 8 }), fc.nat(), (rows, some) => {
        const kept = some % (rows.length + 1);
        const sent = histogramsOf(rows.slice(kept));
        const ofAll = histogramsOf(rows);
        const answer = {
          ...sent,
          kept,
          ...{ last: rows.length, returned: rows.length },
          steps: rows.length,
          in_range: rows.length,
          step: ofAll.step.subarray(kept),
          last_step: ofAll.last_step.subarray(kept),
        };
        expect(completedHistograms(answer, histogramsOf(rows))).toEqual(ofAll);
      }),
    );
  });
});

describe("bucketExtent", () => {
  it("leaves out empty buckets and has a width", () => {
    expect(
      bucketExtent(
        histogramsOf([
          [
            [-9, 0, 0],
            [0, 1, 3],
          ],
          [[1, 2, 1]],
        ]),
      ),
    ).toEqual([0, 2]);
    expect(bucketExtent(histogramsOf([[[0, 0, 7]]]))).toEqual([-0.5, 0.5]);
    expect(bucketExtent(histogramsOf([[]]))).toBeNull();
  });
});

describe("quantiles", () => {
  it("are straight inside of a bucket and rise", () => {
    const histograms = histogramsOf([
      [
        [0, 10, 10],
        [10, 20, 10],
      ],
    ]);
    expect(quantiles(histograms, 0, [0, 0.25, 0.5, 1])).toEqual([0, 5, 10, 20]);
    fc.assert(
      fc.property(buckets, (row) => {
        const found = quantiles(histogramsOf([row]), 0, [0, 0.1, 0.5, 0.9, 1]);
        if (row.some(([, , count]) => count > 0))
          found.slice(1).forEach((value, index) => expect(value).toBeGreaterThanOrEqual(found[index]!));
      }),
    );
  });
});

describe("the quantiles of a constant", () => {
  it("are the constant, however wide its bucket is", () => {
    const constant = { ...histogramsOf([[[2.5, 3, 72]]]), maximum: Float64Array.of(2.5) };
    expect(quantiles(constant, 0, [0, 0.5, 1])).toEqual([2.5, 2.5, 2.5]);
    expect(quantiles({ ...constant, maximum: Float64Array.of(NaN) }, 0, [0.5])).toEqual([2.75]);
  });
});

describe("bucketAt", () => {
  it("finds the bucket under a value, or the nearest that holds something", () => {
    const histograms = histogramsOf([
      [
        [0, 1, 3],
        [1, 2, 0],
        [2, 3, 1],
      ],
    ]);
    expect([0.5, 1.5, 2.5, 9, -9].map((value) => bucketAt(histograms, 0, value))).toEqual([0, 1, 2, 2, 0]);
    expect(bucketAt(histogramsOf([[]]), 0, 1)).toBe(-1);
  });
});
