// SPDX-License-Identifier: Apache-2.0
import { csvTable } from "./csv";

/** Every sample with its time in seconds, as CSV text. */
export function sampleCsv(samples: Float32Array, duration: number): string {
  return csvTable(["time_s", "value"], Array.from(samples, (value, index) => [(index * duration) / samples.length, value]));
}
