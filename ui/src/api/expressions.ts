// SPDX-License-Identifier: Apache-2.0
import type { Message } from "../core/messages/message";
import type { Axis, Range } from "../core/scales/axis";
import type { Group } from "../core/series/groupStatistics";
import { NO_ROWS, type Series } from "../core/series/series";
import type { Smoothing } from "../core/view/smoothing";
import { request } from "./client";
import { flattened, message } from "./decode";

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

function lineFrom({ y, first_x, last_x, ...line }: Message<"ExpressionLine">, isStep: boolean): Series {
  const ends = isStep ? { first_step: first_x, last_step: last_x } : { first_step: null, last_step: null };
  const facts = { ...ends, tag: y, start_wall_time: null, version: 0, overwritten: 0, repeated: 0 };
  return { ...facts, ...NO_ROWS, ...{ x: NO_ROWS.step }, ...flattened(line) };
}

/** The statistics of each group, in the order of the query. */
export async function fetchGroups(query: GroupQuery, signal: AbortSignal): Promise<Group[]> {
  const keep = ["mean", "median", "low", "high"];
  const asked = query.groups.map(({ key, y, runs }) => ({ key, y, runs }));
  const { groups } = await message<"GroupsHeader">(request("/api/groups", { body: { ...query, groups: asked, keep }, signal }));
  return groups.map((group, index) => ({ ...flattened(group), part: query.groups[index]!.part }));
}
