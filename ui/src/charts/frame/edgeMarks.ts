// SPDX-License-Identifier: Apache-2.0
import type { Curve } from "../../core/series/curve";
import { drawableValues } from "../../core/series/curvePath";
import { isAtTop, nonFiniteMarks, pixelsBefore, thinMarks, type NonFiniteKind } from "../../core/series/nonFinite";
import type { Point } from "../../core/series/histogramLayout";
import { projectionOf, type PlotFrame } from "./plotFrame";

/** The shape of a mark. */
export interface EdgeMark {
  lines: readonly (readonly Point[])[];
  isClosed: boolean;
  isFilled: boolean;
}

interface Scale {
  isLog: boolean;
  isLogX: boolean;
  /** Mark values that are finite but beyond the shown heights. */
  marksFar: boolean;
}

const MARK = 3.5;

/** What of a curve has no place in the chart, on its edges: without a height above or below, at x ≤ 0 of a logarithmic axis on the left. */
export function edgeMarks(curve: Curve, frame: PlotFrame, { isLog, isLogX, marksFar }: Scale): EdgeMark[] {
  const { left, top, width, height } = frame.area;
  const { x, y } = projectionOf(frame, curve);
  const shown = frame.ranges.ys[curve.scale] ?? frame.ranges.ys[0]!;
  const marks = thinMarks(nonFiniteMarks(curve.x, curve.raw, isLog, marksFar ? shown : null), x)
    .filter(({ pixel }) => pixel >= left && pixel <= left + width)
    .map(({ pixel, kind }) => railMark(kind, pixel, isAtTop(kind) ? top : top + height));
  if (!isLogX) return marks;
  const before = pixelsBefore(curve.x, drawableValues(curve.raw, isLog), y);
  return [...marks, ...before.map((pixel) => leftMark(left, Math.max(top, Math.min(top + height, pixel))))];
}

/** NaN is a cross, an infinity a filled triangle that points where it went, a finite value without a place a hollow one. */
function railMark(kind: NonFiniteKind, x: number, y: number): EdgeMark {
  if (kind === "nan") return cross(x, y);
  const tip = isAtTop(kind) ? -MARK : MARK;
  return {
    lines: [points([x, y + tip], [x - MARK, y - tip], [x + MARK, y - tip])],
    isClosed: true,
    isFilled: kind === "positive_infinity" || kind === "negative_infinity",
  };
}

function cross(x: number, y: number): EdgeMark {
  const [left, right, top, bottom] = [x - MARK, x + MARK, y - MARK, y + MARK];
  return { lines: [points([left, top], [right, bottom]), points([left, bottom], [right, top])], isClosed: false, isFilled: false };
}

function leftMark(x: number, y: number): EdgeMark {
  return { lines: [points([x - MARK, y], [x + MARK, y - MARK], [x + MARK, y + MARK])], isClosed: true, isFilled: false };
}

function points(...places: readonly (readonly [number, number])[]): Point[] {
  return places.map(([x, y]) => ({ x, y }));
}
