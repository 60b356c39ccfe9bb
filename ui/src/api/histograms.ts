// SPDX-License-Identifier: Apache-2.0
import type { Histograms } from "../core/histograms";
import { float64, readHeader } from "./columns";
import type { components } from "./schema";

type Header = components["schemas"]["HistogramsHeader"];

/** Views on the columns of histograms; raises RangeError or SyntaxError for bytes that are not this format. */
export function decodeHistograms(buffer: ArrayBuffer): Histograms {
  const { header, start } = readHeader<Header>(buffer);
  const column = (name: keyof Header["columns"]): Float64Array => float64(buffer, start, header.columns[name]);
  return {
    run: header.run,
    tag: header.tag,
    steps: header.steps,
    unreadable: header.unreadable,
    problem: header.problem,
    startWallTime: header.start_wall_time ?? 0,
    version: header.version,
    step: column("step"),
    wallTime: column("wall_time"),
    bucketStart: column("bucket_start"),
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
    leftOut: column("left_out"),
  };
}
