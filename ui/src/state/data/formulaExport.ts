// SPDX-License-Identifier: Apache-2.0
import type { Range } from "../../core/scales/axis";
import { shortNumbers } from "../../core/tables/json";
import { UNSMOOTHED } from "../../core/view/smoothing";
import { MOST_PIXELS, readLines } from "./curveQuery";
import { ReasonError } from "../requests/problem";

type Point = readonly [step: number, wall_time: number, value: number];

/** Every point of a formula of a run as a table of step, wall_time and value. Raises what the requests raise. */
export async function formulaCsv(run: string, formula: string): Promise<string> {
  const rows = await pointsWithin(run, formula, null);
  return `step,wall_time,value\n${rows.map(([step, wall_time, value]) => `${step},${wall_time},${csvNumber(value)}\n`).join("")}`;
}

/** What is no finite number as in the tables of logged points. */
function csvNumber(value: number): string {
  return Number.isFinite(value) ? String(value) : String(value).toLowerCase().replace("infinity", "inf");
}

/** Splits a range in halves until the response contains every point. */
async function pointsWithin(run: string, formula: string, range: Range | null): Promise<Point[]> {
  const want = {
    axis: "step",
    range,
    pixels: MOST_PIXELS,
    isLogX: false,
    smoothing: UNSMOOTHED,
    xTag: null,
    baseline: null,
    showsHidden: false,
  } as const;
  const [series] = await readLines({ ...want, lines: [{ run, tag: formula, offset: 0 }] }, new AbortController().signal);
  const { error, reduced, step, wall_time, value } = series!;
  if (error !== null) throw new ReasonError(error);
  const [low, high] = range ?? [step[0] ?? 0, step.at(-1) ?? 0];
  if (reduced && low < high) {
    const middle = Math.floor((low + high) / 2);
    return [...(await pointsWithin(run, formula, [low, middle])), ...(await pointsWithin(run, formula, [middle + 1, high]))];
  }
  const values = shortNumbers(value);
  // A response also holds the neighbors of the requested range.
  return Array.from(step, (at, row): Point => [at, wall_time[row]!, values[row]!]).filter(([at]) => at >= low && at <= high);
}
