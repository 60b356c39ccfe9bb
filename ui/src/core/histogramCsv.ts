// SPDX-License-Identifier: Apache-2.0
import type { Histograms } from "./histograms";

/** Every bucket of every step as RFC 4180 text: step, wall_time, left, right, count; what is not finite by its counts. */
export function histogramCsv(histograms: Histograms): string {
  const { step, wallTime, bucketStart, left, right, count } = histograms;
  const lines = ["step,wall_time,left,right,count"];
  step.forEach((at, row) => {
    const start = `${at},${wallTime[row]}`;
    for (let bucket = bucketStart[row]!; bucket < bucketStart[row + 1]!; bucket++) lines.push(`${start},${left[bucket]},${right[bucket]},${count[bucket]}`);
    const odd: readonly [string, Float64Array][] = [
      ["nan", histograms.nan],
      ["inf", histograms.positiveInfinity],
      ["-inf", histograms.negativeInfinity],
    ];
    for (const [name, counts] of odd) if (counts[row]! > 0) lines.push(`${start},${name},${name},${counts[row]}`);
  });
  return lines.join("\r\n") + "\r\n";
}
