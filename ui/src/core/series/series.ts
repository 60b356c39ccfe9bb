// SPDX-License-Identifier: Apache-2.0
import type { Flat, Message } from "../messages/message";

/**
 * Rows of one tag of one run, as the server kept them for a range and a width in pixels. `x` are places on the horizontal axis where the
 * server says them; null: those of step or time. `start_wall_time` is null where the server does not say it.
 */
export type Series = Flat<Message<"Curve">> & { x: Float64Array | null };

/** The columns of a series with an error. */
export const NO_ROWS = {
  step: new Float64Array(0),
  wall_time: new Float64Array(0),
  value: new Float32Array(0),
  smoothed: null,
  mean: null,
  quantiles: new Float32Array(0),
};

/** Values of a line: float64 where float32 does not hold every one of them. */
export type Floats = Float32Array | Float64Array;

/** How many values are as `isCounted` says. */
export function countOf(values: ArrayLike<number>, isCounted: (value: number) => boolean): number {
  let count = 0;
  for (let row = 0; row < values.length; row++) count += Number(isCounted(values[row]!));
  return count;
}

/** Half-open run of row numbers whose values are all finite. */
export interface Segment {
  start: number;
  end: number;
}

/** Stretches of finite values: a NaN or an infinity breaks the line, and a stretch of one row is drawn as a dot. */
export function finiteSegments(values: ArrayLike<number>): Segment[] {
  const segments: Segment[] = [];
  let start = -1;
  for (let row = 0; row < values.length; row++) {
    const isFinite = Number.isFinite(values[row]);
    if (isFinite && start < 0) start = row;
    if (!isFinite && start >= 0) {
      segments.push({ start, end: row });
      start = -1;
    }
  }
  if (start >= 0) segments.push({ start, end: values.length });
  return segments;
}

/** An answer completed by the known rows that it left out; `known` is what its cursor stood for. */
export function completed(answer: Series, known: Series | undefined): Series {
  if (!known || answer.kept === 0) return answer;
  const { kept } = answer;
  return {
    ...answer,
    kept: 0,
    x: known.x && answer.x && joined(known.x.subarray(0, kept), answer.x),
    step: joined(known.step.subarray(0, kept), answer.step),
    wall_time: joined(known.wall_time.subarray(0, kept), answer.wall_time),
    value: joined(known.value.subarray(0, kept), answer.value),
    smoothed: known.smoothed && answer.smoothed && joined(known.smoothed.subarray(0, kept), answer.smoothed),
    mean: known.mean && answer.mean && joined(known.mean.subarray(0, kept), answer.mean),
  };
}

/** Lets a series have the columns of an earlier one that equal its own, so that what was computed of them is known. */
export function shareColumns(series: Series, earlier: Series): void {
  const same = <Column extends Floats | null>(own: Column, other: Column): Column => (own && other && isEqual(own, other) ? other : own);
  series.x = same(series.x, earlier.x);
  series.step = same(series.step, earlier.step);
  series.wall_time = same(series.wall_time, earlier.wall_time);
  series.value = same(series.value, earlier.value);
}

function isEqual(one: Floats, other: Floats): boolean {
  if (one.length !== other.length || one.BYTES_PER_ELEMENT !== other.BYTES_PER_ELEMENT) return false;
  for (let row = 0; row < one.length; row++) if (!Object.is(one[row], other[row])) return false;
  return true;
}

function joined<Column extends Floats>(known: Column, rest: Column): Column {
  if (rest.length === 0) return known;
  const all = new (known.constructor as new (length: number) => Column)(known.length + rest.length);
  all.set(known);
  all.set(rest, known.length);
  return all;
}

/** A difference without the rows before and after the other run, where it is undefined: the log holds no NaN there. */
export function withoutEnds(series: Series): Series {
  const isThere = (value: number): boolean => !Number.isNaN(value);
  const start = Math.max(0, series.value.findIndex(isThere));
  const end = series.value.findLastIndex(isThere) + 1;
  if (start === 0 && end === series.value.length) return series;
  const value = series.value.subarray(start, end);
  return {
    ...series,
    points: series.points - (series.value.length - value.length),
    nan: countOf(value, Number.isNaN),
    x: series.x && series.x.subarray(start, end),
    step: series.step.subarray(start, end),
    wall_time: series.wall_time.subarray(start, end),
    value,
    smoothed: series.smoothed && series.smoothed.subarray(start, end),
    mean: series.mean && series.mean.subarray(start, end),
  };
}

/** The value at the last step, NaN and infinities included; null without rows. Searches rows that are in the order of another tag. */
export function lastValue({ x, step, value }: Pick<Series, "x" | "step" | "value">): number | null {
  if (value.length === 0) return null;
  let last = value.length - 1;
  if (x) step.forEach((one, row) => (last = one > step[last]! ? row : last));
  return value[last]!;
}

/** Rows that never go back on the axis can be searched by halving. */
export function isAscending(positions: ArrayLike<number>): boolean {
  for (let row = 1; row < positions.length; row++) if (positions[row]! < positions[row - 1]!) return false;
  return true;
}
