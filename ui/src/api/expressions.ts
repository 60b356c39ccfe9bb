// SPDX-License-Identifier: Apache-2.0
import type { Message } from "../core/messages/message";
import type { Axis, Range } from "../core/scales/axis";
import type { Group } from "../core/series/groupStatistics";
import type { Floats, Series } from "../core/series/series";
import type { Smoothing } from "../core/view/smoothing";
import { request } from "./client";
import { message } from "./decode";

/** Range and axis of a view; `x` is an expression for the x-axis, null for the axis itself. */
export interface ExpressionView {
  axis: Axis;
  x: string | null;
  range: Range | null;
  pixels: number;
  /** Columns even in the logarithm of x less this; null: even in x. */
  log_origin: number | null;
  smoothing: Smoothing;
}

export interface ExpressionQuery extends ExpressionView {
  lines: readonly { run: string; y: string; since: string | null }[];
  /** Values are those less the ones of this run at the same x. */
  baseline: string | null;
}

export interface GroupQuery extends ExpressionView {
  /** `part` says in words which of several expressions `y` is; the page only reads it. */
  groups: readonly { key: string; part: string; y: string; runs: readonly string[] }[];
  /** Values are those less the mean or median of these runs at the same x. */
  baseline: { runs: readonly string[]; center: "mean" | "median" } | null;
}

/** One answer for each line, in their order; the rows that are known are left out, see `completed`. */
export async function fetchExpressions(query: ExpressionQuery, signal: AbortSignal): Promise<Series[]> {
  const { lines } = await message<"ExpressionsHeader">(request("/api/expressions", { body: query, signal }));
  const isStep = query.axis === "step" && query.x === null;
  return lines.map((line) => lineFrom(line, isStep));
}

function lineFrom({ columns, ...line }: Message<"ExpressionLine">, isStep: boolean): Series {
  return {
    run: line.run,
    tag: line.y,
    points: line.points,
    returned: line.returned,
    reduced: line.reduced,
    nan: line.nan,
    positiveInfinity: line.positive_infinity,
    negativeInfinity: line.negative_infinity,
    overwritten: 0,
    repeated: 0,
    startWallTime: NaN,
    firstStep: isStep ? line.first_x : null,
    version: 0,
    cursor: line.cursor,
    kept: line.kept,
    error: line.error,
    x: columns?.x ?? new Float64Array(0),
    step: columns?.step ?? new Float64Array(0),
    wallTime: columns?.wall_time ?? new Float64Array(0),
    value: columns?.value ?? new Float32Array(0),
    smoothed: columns?.smoothed ?? null,
    mean: columns?.mean ?? null,
    quantiles: columns?.quantiles ?? new Float64Array(0),
  };
}

/** The statistics of each group, in the order of the query. */
export async function fetchGroups(query: GroupQuery, signal: AbortSignal): Promise<Group[]> {
  const keep = ["mean", "median", "low", "high"];
  const asked = query.groups.map(({ key, y, runs }) => ({ key, y, runs }));
  const { groups } = await message<"GroupsHeader">(request("/api/groups", { body: { ...query, groups: asked, keep }, signal }));
  return groups.map(({ columns, ...facts }, index) => {
    const column = (name: Exclude<keyof Message<"GroupColumns">, "x">): Floats => columns?.[name] ?? new Float32Array(0);
    return {
      key: facts.key,
      part: query.groups[index]!.part,
      error: facts.error,
      runs: facts.runs,
      missing: facts.missing,
      problem: facts.problem,
      points: facts.points,
      returned: facts.returned,
      reduced: facts.reduced,
      interpolated: facts.interpolated,
      x: columns?.x ?? new Float64Array(0),
      count: column("count"),
      mean: column("mean"),
      median: column("median"),
      low: column("low"),
      high: column("high"),
      deviation: column("deviation"),
      lowerQuartile: column("lower_quartile"),
      upperQuartile: column("upper_quartile"),
      standardError: column("standard_error"),
      confidence: column("confidence"),
    };
  });
}
