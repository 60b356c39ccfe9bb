// SPDX-License-Identifier: Apache-2.0
import type { Range } from "../../core/scales/axis";
import { lineOf, type Curve } from "../../core/series/curve";
import type { Point } from "../../core/series/histogramLayout";
import { drawableValues } from "../../core/series/curvePath";
import { labelsWithRoom, type EndLabel } from "../../core/layout/endLabels";
import { distinctNames } from "../../core/runs/runNames";
import { cutMiddle } from "../../core/text/cutMiddle";
import { MANY_CURVES } from "../../core/series/topCurves";
import { TICK_FONT } from "../frame/axes";
import { labelWidth } from "../frame/labelWidth";
import type { Painting } from "./painting";
import { projectionOf, type PlotFrame, type Size } from "../frame/plotFrame";

const SPACING = 13;
const GAP = 4;
/** A line that ends this near to the edge of the area is named beside it. */
const NEAR_EDGE = 6;
/** Share of a chart that names may take, and the width below which they take none. */
const SHARE = 0.3;
const NARROWEST = 320;
/** How much of the lines below a name inside the area is covered. */
const VEIL = 0.75;

/** Room that the names of many lines take beside the chart; few lines are named above it. */
export function labelRoom(curves: readonly Curve[], { width }: Size): number {
  if (curves.length < MANY_CURVES || width < NARROWEST) return 0;
  const lines = curves.filter(({ isBehind }) => !isBehind);
  const widest = Math.max(0, ...distinctNames(lines.map(nameOf)).map(labelWidth));
  return lines.length === 0 ? 0 : Math.ceil(Math.min(widest, SHARE * width)) + 2 * GAP;
}

/** Names at the ends of lines, those of the top ones where there is no room for all. */
export function paintEndLabels({ surface, frame, isLog, isLogX, ink }: Painting, curves: readonly Curve[]): void {
  if (frame.beside === 0) return;
  const { top, height, left, width } = frame.area;
  const names = distinctNames(curves.map(nameOf));
  const most = frame.beside - 2 * GAP;
  const measure = (text: string): number => surface.measureText(text).width;
  surface.save();
  surface.globalAlpha = 1;
  surface.font = TICK_FONT;
  surface.textAlign = "left";
  surface.textBaseline = "middle";
  const labels = curves.flatMap((curve, index): (EndLabel & { rank: number })[] => {
    const end = endOf(curve, frame, isLog, isLogX);
    if (end === null) return [];
    const text = cutMiddle(names[index]!, most, measure);
    const rank = curve.isFocused ? -1 : (curve.rank ?? 0);
    return [{ text, color: curve.color, x: end.x + GAP, y: end.y, width: measure(text), rank }];
  });
  labels.sort((one, other) => one.rank - other.rank);
  for (const { text, color, x, y, width: room } of labelsWithRoom(labels, [top, top + height], SPACING)) {
    const isInside = x < left + width - NEAR_EDGE;
    surface.fillStyle = ink("var(--paper)");
    surface.globalAlpha = VEIL;
    if (isInside) surface.fillRect(x - 1, y - SPACING / 2, room + 2, SPACING);
    surface.globalAlpha = 1;
    surface.fillStyle = ink(color);
    surface.fillText(text, x, y);
  }
  surface.restore();
}

function nameOf({ name, label }: Curve): string {
  return name ?? label;
}

/** Where the last value in sight is. */
function endOf(curve: Curve, frame: PlotFrame, isLog: boolean, isLogX: boolean): Point | null {
  const values = drawableValues(lineOf(curve), isLog, isLogX ? curve.x : null);
  const row = values.findLastIndex((value, index) => Number.isFinite(value) && isInside(curve.x[index]!, frame.ranges.x));
  if (row < 0) return null;
  const { x, y } = projectionOf(frame, curve);
  return { x: x(curve.x[row]!), y: y(values[row]!) };
}

function isInside(place: number, [low, high]: Range): boolean {
  return place >= low && place <= high;
}
