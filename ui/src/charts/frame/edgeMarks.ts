// SPDX-License-Identifier: Apache-2.0
import type { Curve } from "../../core/series/curve";
import { drawableValues } from "../../core/series/curvePath";
import { isAtTop, nonFiniteMarks, pixelsBefore, thinMarks, type NonFiniteKind } from "../../core/series/nonFinite";
import type { PlotFrame } from "./plotFrame";

/** The shape of a mark as the path of an SVG. */
export interface EdgeMark {
  path: string;
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
  const { x, y } = frame.projections[curve.scale] ?? frame.projections[0]!;
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
  if (kind === "nan")
    return { path: `M${x - MARK} ${y - MARK}L${x + MARK} ${y + MARK}M${x - MARK} ${y + MARK}L${x + MARK} ${y - MARK}`, isFilled: false };
  const tip = isAtTop(kind) ? -MARK : MARK;
  return {
    path: `M${x} ${y + tip}L${x - MARK} ${y - tip}L${x + MARK} ${y - tip}Z`,
    isFilled: kind === "positive_infinity" || kind === "negative_infinity",
  };
}

function leftMark(x: number, y: number): EdgeMark {
  return { path: `M${x - MARK} ${y}L${x + MARK} ${y - MARK}L${x + MARK} ${y + MARK}Z`, isFilled: false };
}
