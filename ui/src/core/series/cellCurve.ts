// SPDX-License-Identifier: Apache-2.0
import { traceCurve } from "./curvePath";
import { finiteSegments, type Series } from "./series";

/** A curve without axes: over all of its steps, as high as its values. */
export interface CellCurve {
  /** Commands of an SVG path; NaN and infinities break the line. */
  path: string;
  low: number;
  high: number;
  /** Points that the curve has, before reduction. */
  points: number;
}

/** Room for half of the stroke, and for round ends. */
const MARGIN = 1.5;

/** Null without a finite value. */
export function cellCurve(
  { step, value, points }: Pick<Series, "step" | "value" | "points">,
  width: number,
  height: number,
): CellCurve | null {
  const finite = finiteSegments(value).flatMap(({ start, end }) => Array.from(value.subarray(start, end)));
  if (finite.length === 0) return null;
  const [low, high] = [finite.reduce((one, other) => Math.min(one, other)), finite.reduce((one, other) => Math.max(one, other))];
  const place = (share: number, length: number): number => Math.round(10 * (MARGIN + share * (length - 2 * MARGIN))) / 10;
  const first = step[0]!;
  const last = step[step.length - 1]!;
  const projection = {
    x: (at: number) => place((at - first) / (last - first || 1), width),
    y: (number: number) => place(low === high ? 0.5 : (high - number) / (high - low), height),
  };
  const parts: string[] = [];
  const path = {
    moveTo: (x: number, y: number) => parts.push(`M${x} ${y}`),
    lineTo: (x: number, y: number) => parts.push(`L${x} ${y}`),
  };
  const lonely = traceCurve(path, step, value, projection);
  return { path: [...parts, ...lonely.map(({ x, y }) => `M${x} ${y}h0`)].join(""), low, high, points };
}
