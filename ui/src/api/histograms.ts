// SPDX-License-Identifier: Apache-2.0
import type { Message } from "../core/messages/message";
import type { Axis, Range } from "../core/scales/axis";
import type { Histograms } from "../core/series/histograms";
import { request } from "./client";
import { message } from "./decode";
import type { KnownSeries } from "./routes";

/** Which steps of which series, in how many rows. */
export interface HistogramQuery {
  series: readonly KnownSeries[];
  axis: Axis;
  range: Range | null;
  rows: number;
}

/** One answer for each series; it leaves out rows that are known by `since`, see `completedHistograms`. */
export async function fetchHistograms(query: HistogramQuery, signal?: AbortSignal): Promise<Histograms[]> {
  const { series } = await message<"HistogramsHeader">(request("/api/histograms", { body: query, ...(signal ? { signal } : {}) }));
  return series.map(histogramsFrom);
}

function histogramsFrom({ columns, ...header }: Message<"HistogramSeries">): Histograms {
  const column = (name: keyof Message<"HistogramColumns">): Float64Array => columns?.[name] ?? new Float64Array(0);
  return {
    run: header.run,
    tag: header.tag,
    steps: header.steps,
    inRange: header.in_range,
    stepsPerRow: header.steps_per_row,
    problem: header.problem,
    startWallTime: header.start_wall_time ?? 0,
    version: header.version,
    cursor: header.cursor,
    kept: header.kept,
    error: header.error,
    step: column("step"),
    lastStep: column("last_step"),
    wallTime: column("wall_time"),
    lastWallTime: column("last_wall_time"),
    merged: column("merged"),
    unreadable: column("unreadable"),
    bucketStart: columns ? column("bucket_start") : Float64Array.of(0),
    minimum: column("minimum"),
    maximum: column("maximum"),
    sum: column("sum"),
    total: column("total"),
    nan: column("nan"),
    positiveInfinity: column("positive_infinity"),
    negativeInfinity: column("negative_infinity"),
    left: column("left"),
    right: column("right"),
    count: column("count"),
  };
}
