// SPDX-License-Identifier: Apache-2.0
import type { Range } from "../../core/scales/axis";
import { heightWithin, lineOf, type Curve, type Scaling } from "../../core/series/curve";
import type { Area, Point } from "../../core/series/histogramLayout";
import { hitsByNearness, type Hit } from "../../core/series/nearest";
import type { Box } from "../../core/scales/zoom";
import type { PlotFrame } from "../frame/plotFrame";

/** Where the cursor is and which rows are near, nearest curve first. */
export interface Hover {
  hits: Hit[];
  /** Position of the cursor on the horizontal axis. */
  x: number;
  clientX: number;
  clientY: number;
}

/** What is near a point of the plotting area, which begins at `corner` of the window. */
export function hoverAt(
  point: Point,
  curves: readonly Curve[],
  { area, projections, xAt }: PlotFrame,
  corner: { left: number; top: number },
): Hover {
  const x = xAt(point.x + area.left);
  const hits = hitsByNearness(
    curves.map((curve) => ({ x: curve.x, y: lineOf(curve), ascending: curve.isAscending, scale: curve.scale })),
    { x, pixelX: point.x, pixelY: point.y },
    (place) => projections[0]!.x(place) - area.left,
    (value, scale) => (projections[scale] ?? projections[0]!).y(value) - area.top,
  );
  return { hits, x, clientX: corner.left + point.x, clientY: corner.top + point.y };
}

/** The box that was dragged, in values. As wide as the area it leaves the range; as high, it fits the height to what it holds. */
export function boxWithin(
  { left, top, width, height }: Area,
  { area, ranges, xAt, yAt }: PlotFrame,
  curves: readonly Curve[],
  scaling: Pick<Scaling, "isLog" | "limits">,
): Box {
  const x: Range = width >= area.width - 1 ? ranges.x : [xAt(area.left + left), xAt(area.left + left + width)];
  if (height >= area.height - 1) return { x, y: heightWithin(curves, x, scaling) };
  return { x, y: [yAt(area.top + top + height), yAt(area.top + top)] };
}
