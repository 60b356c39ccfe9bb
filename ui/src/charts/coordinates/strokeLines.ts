// SPDX-License-Identifier: Apache-2.0
import { NO_COLOR, type LineColors } from "../../core/lineage/lineColors";
import type { LineHeights } from "../../core/lineage/nearestLine";
import type { Rgb } from "../../core/scales/colorMap";
import { lineColor } from "../frame/lineColor";
import type { Ink, Surface } from "../frame/surface";

/** Lines through axes at these places, with their heights at each of them; all in CSS pixels. */
export interface LinesPainting {
  surface: Surface;
  ink: Ink;
  xs: readonly number[];
  heights: readonly LineHeights[];
  passing: Uint8Array;
  colors: LineColors;
  stops: readonly Rgb[];
}

const GRAY_OPACITY = 0.22;
const WIDTH = 1.25;
const FEW_WIDTH = 1.75;
const FEW = 30;

/** Strokes lines that don't pass, and then, over them, lines that pass. */
export function strokeLines(painting: LinesPainting, opacity: number): void {
  const { surface, ink, passing, colors, stops } = painting;
  const lines = Array.from(passing.keys());
  const front = lines.filter((line) => passing[line] === 1);
  surface.save();
  surface.lineJoin = "round";
  surface.lineWidth = 1;
  surface.globalAlpha = GRAY_OPACITY;
  surface.strokeStyle = ink(NO_COLOR);
  for (const line of lines) if (passing[line] !== 1) strokeLine(painting, line);
  surface.lineWidth = front.length <= FEW ? FEW_WIDTH : WIDTH;
  surface.globalAlpha = opacity;
  for (const line of front) {
    surface.strokeStyle = lineColor(colors, line, stops, ink);
    strokeLine(painting, line);
  }
  surface.restore();
}

function strokeLine({ surface, xs, heights }: LinesPainting, line: number): void {
  surface.beginPath();
  xs.forEach((x, axis) => {
    if (axis === 0) surface.moveTo(x, heights[axis]![line]!);
    else surface.lineTo(x, heights[axis]![line]!);
  });
  surface.stroke();
}
