// SPDX-License-Identifier: Apache-2.0
import { request } from "../../api/client";
import { flattened, message } from "../../api/decode";
import type { KnownSeries, SeriesKey } from "../../api/routes";
import type { Axis, Range } from "../../core/scales/axis";
import { histogramCsv, histogramJson } from "../../core/tables/histogramTable";
import { completedHistograms, type Histograms } from "../../core/series/histograms";
import { batched } from "../requests/batched";
import { ReasonError } from "../requests/problem";
import { seriesSource } from "./seriesSource";

const ALL_STEPS = 1_000_000;

/** Which steps of a series a view shows, and how many rows it has room for. */
export interface HistogramDetail {
  axis: Axis;
  range: Range | null;
  rows: number;
}

/** One answer for each series; it leaves out rows that are known by `since`. */
async function fetchHistograms(query: HistogramDetail & { series: readonly KnownSeries[] }, signal?: AbortSignal): Promise<Histograms[]> {
  return (await message<"HistogramsHeader">(request("/api/histograms", { body: query, signal }))).series.map(flattened);
}

/** Visible cards request the same steps and rows of many series in one request. */
const ask = batched<{ series: KnownSeries; detail: HistogramDetail }, Histograms>({
  alike: ({ detail }) => JSON.stringify(detail),
  most: 8,
  send: (questions, signal) => fetchHistograms({ series: questions.map(({ series }) => series), ...questions[0]!.detail }, signal),
});

export const histogramSource = seriesSource<Histograms, HistogramDetail>({
  kind: "histogram",
  read: async ({ run, tag, ...detail }, signal, known) => {
    const answer = await ask({ series: { run, tag, since: known?.cursor ?? null }, detail }, signal);
    if (answer.error !== null) throw new ReasonError(answer.error);
    return completedHistograms(answer, known);
  },
  bytes: ({ step, count }) => 112 * step.length + 24 * count.length,
});

/** Every bucket of every step as text for a file. Raises what the request raises. */
export async function allBuckets({ run, tag }: SeriesKey, kind: "csv" | "json"): Promise<string> {
  const [answer] = await fetchHistograms({ series: [{ run, tag, since: null }], axis: "step", range: null, rows: ALL_STEPS });
  if (answer!.error !== null) throw new ReasonError(answer!.error);
  return kind === "csv" ? histogramCsv(answer!) : histogramJson(answer!);
}
