// SPDX-License-Identifier: Apache-2.0
import type { Curve } from "../../core/series/curve";
import type { CurvePlot } from "../curves/curvePlot";
import { complete } from "../curves/paintChart";
import { TICK_FONT } from "../frame/axes";
import type { Picture } from "../frame/picture";
import { segment, type Ink, type Surface } from "../frame/surface";

const ROW = 16;
const SWATCH = { left: 12, width: 14, up: 4 };
const NAME_LEFT = 32;

/** The chart as it is on the screen, with the titles of its axes, and the names of its curves below. */
export function chartPicture(plot: CurvePlot, title: string, xTitle: string, yTitle: string): Picture {
  const curves = plot.curves.filter(({ isBehind }) => !isBehind);
  const frame = plot.titledFrame(xTitle, yTitle);
  const { width, height } = frame.size;
  return {
    title,
    size: { width, height: height + curves.length * ROW + 12 },
    paint: (surface, ratio, ink) => {
      complete(plot.paint(surface, ratio, ink, frame));
      paintLegend(surface, curves, height, ink);
    },
  };
}

function paintLegend(surface: Surface, curves: readonly Curve[], top: number, ink: Ink): void {
  surface.save();
  surface.globalAlpha = 1;
  surface.font = TICK_FONT;
  surface.textAlign = "left";
  surface.textBaseline = "alphabetic";
  surface.lineWidth = 2;
  curves.forEach((curve, index) => paintRow(surface, curve, top + 12 + index * ROW, ink));
  surface.restore();
}

function paintRow(surface: Surface, { label, part, color, dash }: Curve, y: number, ink: Ink): void {
  surface.strokeStyle = ink(color);
  surface.setLineDash([...dash]);
  surface.beginPath();
  segment(surface, SWATCH.left, y - SWATCH.up, SWATCH.left + SWATCH.width, y - SWATCH.up);
  surface.stroke();
  surface.fillStyle = ink("var(--ink)");
  surface.fillText(part === "" ? label : `${label} · ${part}`, NAME_LEFT, y);
}
