// SPDX-License-Identifier: Apache-2.0
/** The horizontal axis: training step, seconds since the first point of a series, or seconds since the epoch. */
export type Axis = "step" | "relative" | "wall";

export const AXES: readonly Axis[] = ["step", "relative", "wall"];

/** Closed interval in the units of its axis. */
export type Range = readonly [low: number, high: number];

export function isAxis(text: string | null): text is Axis {
  return text !== null && (AXES as readonly string[]).includes(text);
}

/** Positions of rows on the axis; `startWallTime` is the first wall time of the whole series, not of the rows. */
export function axisPositions(axis: Axis, columns: { step: Float64Array; wallTime: Float64Array }, startWallTime: number): Float64Array {
  if (axis === "step") return columns.step;
  if (axis === "wall") return columns.wallTime;
  return columns.wallTime.map((time) => time - startWallTime);
}
