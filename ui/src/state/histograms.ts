// SPDX-License-Identifier: Apache-2.0
import { fetchHistograms } from "../api/routes";
import { histogramCsv } from "../core/histogramCsv";
import type { Histograms } from "../core/histograms";
import type { ValueSource } from "./valueDemand.svelte";

const ALL_STEPS = 1_000_000;

/** Detail is the number of steps that the view has room for. */
export const histogramSource: ValueSource<Histograms> = {
  kind: "histogram",
  read: (series, steps, signal) => fetchHistograms(series, steps, signal),
  bytes: ({ step, count }) => 80 * step.length + 24 * count.length,
};

/** Every bucket of every step as CSV text. Raises what the request raises. */
export async function allBucketsCsv(run: string, tag: string): Promise<string> {
  return histogramCsv(await fetchHistograms({ run, tag }, ALL_STEPS));
}
