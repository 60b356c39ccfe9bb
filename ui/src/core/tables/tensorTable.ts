// SPDX-License-Identifier: Apache-2.0
import type { Schemas } from "../messages/message";
import { csvTable } from "./csv";

type Statistics = Omit<Schemas["TensorStatisticsAnswer"], "counts" | "edges">;

const NUMBERS = ["count", "minimum", "maximum", "mean", "deviation", "zeros", "nan", "positive_infinity", "negative_infinity"] as const;

/** Statistics of a slice and of the whole tensor beside each other; a part that is not known yet stays empty. */
export function statisticsCsv(slice: Statistics | null, whole: Statistics | null): string {
  const parts = [slice, whole];
  const shape = ["shape", ...parts.map((one) => one?.shape.join(" ") ?? null)];
  return csvTable(
    ["statistic", "slice", "whole"],
    [shape, ...NUMBERS.map((name) => [name, ...parts.map((one) => plain(one?.[name] ?? null))])],
  );
}

/** A negative number that is a text would be taken for a formula and quoted. */
function plain(cell: string | number | null): string | number | null {
  return typeof cell === "string" && cell.startsWith("-") && Number.isFinite(Number(cell)) ? Number(cell) : cell;
}

/** The buckets of a histogram; the last one includes its right edge. */
export function bucketCsv(edges: readonly number[], counts: readonly number[]): string {
  return csvTable(
    ["left", "right", "count"],
    counts.map((count, bucket) => [edges[bucket]!, edges[bucket + 1]!, count]),
  );
}
