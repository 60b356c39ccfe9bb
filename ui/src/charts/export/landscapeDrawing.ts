// SPDX-License-Identifier: Apache-2.0
import { isLine } from "../../core/landscapes/landscape";
import type { Drawing } from "../../core/layout/vectorDrawing";
import type { Size } from "../frame/plotFrame";
import { SvgContext } from "../frame/svgContext";
import { contourShapes } from "../landscapes/contourShapes";
import { distinctSurfaces, type DrawnLandscape, type LandscapeLook } from "../landscapes/drawnLandscape";
import { lineFrame, planeFrame } from "../landscapes/landscapeFrame";
import { paintContours } from "../landscapes/paintContours";
import { paintLineLandscapes } from "../landscapes/paintLineLandscape";
import { paintPaths } from "../landscapes/paintPaths";

interface DrawnPicture {
  all: readonly DrawnLandscape[];
  /** How many checkpoints of each path are drawn in full. */
  upTo: readonly number[];
  look: LandscapeLook;
  isFilled: boolean;
}

/** Landscapes from above, or lines as curves, as a drawing of a page. */
export function landscapeDrawing({ all, upTo, look, isFilled }: DrawnPicture, size: Size): Drawing {
  const surface = new SvgContext();
  const isCurve = all.every(({ landscape }) => isLine(landscape));
  const frame = (isCurve ? lineFrame : planeFrame)(all, look, size);
  const ink = (color: string): string => color;
  const painting = { surface, ratio: 1, ink, frame, look };
  if (isCurve) paintLineLandscapes({ ...painting, all });
  else {
    const shapes = distinctSurfaces(all).map((drawn) => ({ drawn, contours: contourShapes(drawn, look.levels) }));
    paintContours({ ...painting, isFilled: isFilled && shapes.length === 1, all: shapes });
  }
  paintPaths({ surface, ink, frame, all, upTo, look });
  return { ...size, body: surface.body(), plot: null };
}
