// SPDX-License-Identifier: Apache-2.0
import type { Histograms } from "../series/histograms";
import { jsonNumbers } from "./json";

/** Every bucket of every step as RFC 4180 text: step, wall_time, left, right, count; what is not finite by its counts. */
export function histogramCsv(histograms: Histograms): string {
  const { step, wall_time, bucket_start, left, right, count } = histograms;
  const lines = ["step,wall_time,left,right,count"];
  step.forEach((at, row) => {
    const start = `${at},${wall_time[row]}`;
    for (let bucket = bucket_start[row]!; bucket < bucket_start[row + 1]!; bucket++)
      lines.push(`${start},${left[bucket]},${right[bucket]},${count[bucket]}`);
    const odd: readonly [string, Float64Array][] = [
      ["nan", histograms.nan],
      ["inf", histograms.positive_infinity],
      ["-inf", histograms.negative_infinity],
    ];
    for (const [name, counts] of odd) if (counts[row]! > 0) lines.push(`${start},${name},${name},${counts[row]}`);
  });
  return lines.join("\r\n") + "\r\n";
}

/** The same as JSON: a list of steps, each with its buckets as columns and the counts of what is not finite. */
export function histogramJson(histograms: Histograms): string {
  const { run, tag, step, wall_time, bucket_start, nan, positive_infinity, negative_infinity } = histograms;
  const steps = Array.from(step, (at, row) => {
    const inRow = (values: Float64Array): (number | string)[] => jsonNumbers(values.subarray(bucket_start[row], bucket_start[row + 1]));
    const odd = { nan: nan[row], positive_infinity: positive_infinity[row], negative_infinity: negative_infinity[row] };
    return {
      step: at,
      wall_time: wall_time[row],
      left: inRow(histograms.left),
      right: inRow(histograms.right),
      count: inRow(histograms.count),
      ...odd,
    };
  });
  return `${JSON.stringify({ run, tag, steps })}\n`;
}
