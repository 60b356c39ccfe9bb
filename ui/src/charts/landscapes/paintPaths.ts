// SPDX-License-Identifier: Apache-2.0
import { isLine } from "../../core/landscapes/landscape";
import { checkpointRadius } from "../../core/landscapes/path";
import type { PlotFrame } from "../frame/plotFrame";
import type { Ink, Surface } from "../frame/surface";
import { checkpointsOf, lastColor, type DrawnLandscape, type LandscapeLook } from "./drawnLandscape";

interface PathsPainting {
  surface: Surface;
  ink: Ink;
  frame: PlotFrame;
  all: readonly DrawnLandscape[];
  /** How many checkpoints of each path are drawn in full. */
  upTo: readonly number[];
  look: LandscapeLook;
}

/** The paths of trainings on landscapes from above, or on lines. */
export function paintPaths({ surface, ink, frame, all, upTo, look }: PathsPainting): void {
  if (!look.hasPath) return;
  const [{ x, y }, { area }] = [frame.projections[0]!, frame];
  const isCurve = all.every(({ landscape }) => isLine(landscape));
  const place = (point: { x: number; y: number; loss: number }) => ({ x: x(point.x), y: y(isCurve ? point.loss : point.y) });
  surface.save();
  surface.beginPath();
  surface.rect(area.left, area.top, area.width, area.height);
  surface.clip();
  all.forEach((drawn, index) => paintPath({ surface, ink, place, drawn, upTo: upTo[index] ?? 0, isMany: all.length > 1 }));
  surface.restore();
}

interface PathPainting {
  surface: Surface;
  ink: Ink;
  /** Of a point of the path, in pixels. */
  place: (point: { x: number; y: number; loss: number }) => { x: number; y: number };
  drawn: DrawnLandscape;
  /** How many checkpoints are drawn in full. */
  upTo: number;
  /** Each path has the color of its run. */
  isMany: boolean;
}

/** The path of a training up to its shown step, the rest faint; checkpoints sized by their distance from the plane. */
function paintPath({ surface, ink, place, drawn, upTo, isMany }: PathPainting): void {
  const { landscape } = drawn;
  const points = checkpointsOf(drawn).map(place);
  const tint = isMany ? drawn.color : "var(--series-3)";
  // between two checkpoints of a line is the line itself
  const hasLine = !isLine(landscape);
  surface.save();
  surface.lineJoin = "round";
  surface.lineCap = "round";
  const line = (from: number, to: number, width: number, stroke: string, opacity: number): void => {
    if (!hasLine || to - from < 2) return;
    surface.beginPath();
    points.slice(from, to).forEach(({ x, y }, index) => (index === 0 ? surface.moveTo(x, y) : surface.lineTo(x, y)));
    surface.globalAlpha = opacity;
    surface.lineWidth = width;
    surface.strokeStyle = stroke;
    surface.stroke();
    surface.globalAlpha = 1;
  };
  line(Math.max(0, upTo - 1), points.length, 2, ink(tint), 0.4);
  line(0, upTo, 4, "rgb(255 255 255)", 0.7);
  line(0, upTo, 2, ink(tint), 1);
  const dot = ({ x, y }: { x: number; y: number }, radius: number, color: string): void => {
    for (const [size, fill] of [
      [radius + 1, "rgb(255 255 255)"],
      [radius, ink(color)],
    ] as const) {
      surface.fillStyle = fill;
      surface.beginPath();
      surface.arc(x, y, size, 0, 2 * Math.PI);
      surface.fill();
    }
  };
  points.slice(0, upTo).forEach((point, index) => dot(point, checkpointRadius(landscape.path?.offPlane?.[index] ?? 0), tint));
  if (landscape.convergence && upTo === points.length) dot(place(landscape.convergence), 4, lastColor(isMany));
  surface.restore();
}
