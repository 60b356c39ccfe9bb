// SPDX-License-Identifier: Apache-2.0
/** The horizontal axis: training step, seconds since the first point of a series, or seconds since the epoch. */
export type Axis = "step" | "relative" | "wall";

export const AXES: readonly Axis[] = ["step", "relative", "wall"];

/** Closed interval in the units of its axis. */
export type Range = readonly [low: number, high: number];

export function isAxis(text: string | null): text is Axis {
  return text !== null && (AXES as readonly string[]).includes(text);
}

/** Positions of rows on the axis; `start` is the first wall time of the whole series, not of the rows. */
export function axisPositions(
  axis: Axis,
  { step, wall_time }: { step: Float64Array; wall_time: Float64Array },
  start: number | null,
): Float64Array {
  if (axis === "step") return step;
  return axis === "wall" ? wall_time : wall_time.map((time) => time - (start ?? 0));
}
