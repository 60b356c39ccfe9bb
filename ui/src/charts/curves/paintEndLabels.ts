// SPDX-License-Identifier: Apache-2.0
import type { Range } from "../../core/scales/axis";
import type { Curve } from "../../core/series/curve";
import { drawableValues } from "../../core/series/curvePath";
import { placeLabels, type EndLabel } from "../../core/layout/endLabels";
import { distinctNames } from "../../core/runs/runNames";
import { cutMiddle } from "../../core/text/cutMiddle";
import { MANY_CURVES } from "../../core/series/topCurves";
import { TICK_FONT } from "../frame/axes";
import { labelWidth } from "../frame/labelWidth";
import type { Painting } from "./painting";
import { projectionOf, type PlotFrame, type Size } from "../frame/plotFrame";

const SPACING = 13;
/** From the area to a name: the leader line with both gaps. */
const LEADER = 18;
const GAP = 3;
/** Share of a chart that names may take, and the width below which they take none. */
const SHARE = 0.3;
const NARROWEST = 320;

/** Room that the names of many lines take beside the chart; few lines are named above it. */
export function labelRoom(curves: readonly Curve[], { width }: Size): number {
  if (curves.length < MANY_CURVES || width < NARROWEST) return 0;
  const lines = curves.filter(({ isBehind }) => !isBehind);
  const widest = Math.max(0, ...distinctNames(lines.map(nameOf)).map(labelWidth));
  return lines.length === 0 ? 0 : Math.ceil(Math.min(widest, SHARE * width - LEADER)) + LEADER + GAP;
}

/** Names at the ends of lines, those of the top ones where there is no room for all. */
export function paintEndLabels({ surface, frame, isLog, isLogX, ink }: Painting, curves: readonly Curve[]): void {
  if (frame.beside === 0) return;
  const names = distinctNames(curves.map(nameOf));
  const labels = curves.flatMap((curve, index): (EndLabel & { rank: number })[] => {
    const end = endOf(curve, frame, isLog, isLogX);
    return end === null ? [] : [{ text: names[index]!, color: curve.color, end, rank: curve.isFocused ? -1 : (curve.rank ?? 0) }];
  });
  labels.sort((one, other) => one.rank - other.rank);
  const measure = (text: string): number => surface.measureText(text).width;
  const { left, top, width, height } = frame.area;
  const edge = left + width;
  surface.save();
  surface.globalAlpha = 1;
  surface.font = TICK_FONT;
  surface.textAlign = "left";
  surface.textBaseline = "middle";
  surface.lineWidth = 1.5;
  for (const { text, color, end, at } of placeLabels(labels, top, height, SPACING)) {
    surface.strokeStyle = ink(color);
    surface.beginPath();
    surface.moveTo(edge + GAP, Math.min(top + height, Math.max(top, end)));
    surface.lineTo(edge + LEADER - GAP, at);
    surface.stroke();
    surface.fillStyle = ink("var(--ink)");
    surface.fillText(cutMiddle(text, frame.beside - LEADER - GAP, measure), edge + LEADER, at);
  }
  surface.restore();
}

function nameOf({ name, label }: Curve): string {
  return name ?? label;
}

/** Height of the last value in sight. */
function endOf(curve: Curve, frame: PlotFrame, isLog: boolean, isLogX: boolean): number | null {
  const values = drawableValues(curve.smoothed ?? curve.raw, isLog, isLogX ? curve.x : null);
  const row = values.findLastIndex((value, index) => Number.isFinite(value) && isInside(curve.x[index]!, frame.ranges.x));
  return row < 0 ? null : projectionOf(frame, curve).y(values[row]!);
}

function isInside(place: number, [low, high]: Range): boolean {
  return place >= low && place <= high;
}
