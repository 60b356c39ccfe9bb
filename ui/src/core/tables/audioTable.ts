// SPDX-License-Identifier: Apache-2.0
import { csvTable } from "./csv";
import { jsonNumbers, shortNumbers } from "./json";

/** Every sample with its time in seconds, as CSV text. */
export function sampleCsv(samples: Float32Array, duration: number): string {
  return csvTable(
    ["time_s", "value"],
    Array.from(samples, (value, index) => [(index * duration) / samples.length, value]),
  );
}

/** The samples in their order and how long they are heard, as JSON text. */
export function sampleJson(samples: Float32Array, duration: number): string {
  return `${JSON.stringify({ duration_s: duration, samples: jsonNumbers(shortNumbers(samples)) })}\n`;
}
