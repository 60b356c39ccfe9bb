// SPDX-License-Identifier: Apache-2.0
import type { Range } from "../../core/scales/axis";
import { lineOf, type Curve } from "../../core/series/curve";
import type { Point } from "../../core/series/histogramLayout";
import { drawableValues } from "../../core/series/curvePath";
import { crosses, labelsWithRoom, type EndLabel, type PixelLine } from "../../core/layout/endLabels";
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
/** Letters of a name, which no line may cross, and the halo that keeps grid and bands off them. */
const [LETTERS, HALO] = [14, 3];

type RankedLabel = EndLabel & { rank: number; curve: Curve };

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
  const paths = new Map<Curve, PixelLine>();
  const labels = curves.flatMap((curve, index): RankedLabel[] => {
    const end = endOf(curve, frame, isLog, isLogX);
    if (end === null) return [];
    const text = cutMiddle(names[index]!, most, measure);
    const rank = curve.isFocused ? -1 : (curve.rank ?? 0);
    return [{ text, color: curve.color, x: end.x + GAP, y: end.y, width: measure(text), rank, curve }];
  });
  labels.sort((one, other) => one.rank - other.rank);
  const isCrossed = (label: RankedLabel): boolean =>
    label.x < left + width - NEAR_EDGE && curves.some((curve) => curve !== label.curve && crosses(pathOf(curve), label, LETTERS));
  surface.lineJoin = "round";
  surface.lineWidth = HALO;
  surface.strokeStyle = ink("var(--paper)");
  for (const { text, color, x, y } of labelsWithRoom(labels, [top, top + height], SPACING, isCrossed)) {
    surface.strokeText(text, x, y);
    surface.fillStyle = ink(color);
    surface.fillText(text, x, y);
  }
  surface.restore();

  function pathOf(curve: Curve): PixelLine {
    const known = paths.get(curve) ?? pixelsOf(curve, frame, isLog, isLogX);
    paths.set(curve, known);
    return known;
  }
}

function nameOf({ name, label }: Curve): string {
  return name ?? label;
}

function pixelsOf(curve: Curve, frame: PlotFrame, isLog: boolean, isLogX: boolean): PixelLine {
  const { x, y } = projectionOf(frame, curve);
  const values = drawableValues(lineOf(curve), isLog, isLogX ? curve.x : null);
  return { x: Float64Array.from(curve.x, x), y: Float64Array.from(values, y) };
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
