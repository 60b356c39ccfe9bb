// SPDX-License-Identifier: Apache-2.0
import { drawableValues, traceCurve } from "../../core/series/curvePath";
import { isPartial } from "../../core/landscapes/landscape";
import { POINT } from "../../core/landscapes/surface";
import { paintAxes } from "../frame/paintAxes";
import type { PlotFrame } from "../frame/plotFrame";
import { segment, type Ink, type Surface } from "../frame/surface";
import { missingColor, type DrawnLandscape, type LandscapeLook } from "./drawnLandscape";

interface LinesPainting {
  surface: Surface;
  ratio: number;
  ink: Ink;
  frame: PlotFrame;
  all: readonly DrawnLandscape[];
  look: LandscapeLook;
}

/** Landscapes of one direction, as curves; points without a loss are marked below. */
export function paintLineLandscapes(painting: LinesPainting): void {
  const { surface, frame, all } = painting;
  paintAxes(painting);
  surface.save();
  surface.beginPath();
  surface.rect(frame.area.left, frame.area.top, frame.area.width, frame.area.height);
  surface.clip();
  for (const drawn of all) paintLine(painting, drawn);
  surface.restore();
}

function paintLine(
  { surface, ink, frame, look }: LinesPainting,
  { landscape, surface: { losses, state }, scale, color }: DrawnLandscape,
): void {
  const projection = frame.projections[0]!;
  surface.beginPath();
  const lonely = traceCurve(surface, landscape.x, drawableValues(losses, scale.isLog), projection);
  surface.strokeStyle = ink(color);
  surface.lineWidth = 1.5;
  surface.lineJoin = "round";
  surface.stroke();
  const dots = look.hasPoints
    ? [...losses.keys()]
        .filter((point) => state[point] === POINT.computed)
        .map((point) => ({ x: projection.x(landscape.x[point]!), y: projection.y(losses[point]!) }))
    : lonely;
  surface.fillStyle = ink(color);
  for (const { x, y } of dots) {
    surface.beginPath();
    surface.arc(x, y, 2, 0, 2 * Math.PI);
    surface.fill();
  }
  const base = frame.area.top + frame.area.height;
  state.forEach((kind, point) => {
    const missing = missingColor(kind, isPartial(landscape));
    if (!missing) return;
    surface.beginPath();
    segment(surface, projection.x(landscape.x[point]!), base - 8, projection.x(landscape.x[point]!), base);
    surface.strokeStyle = ink(missing);
    surface.stroke();
  });
}
