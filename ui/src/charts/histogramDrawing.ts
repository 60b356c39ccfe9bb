// SPDX-License-Identifier: Apache-2.0
import type { Drawing as PageDrawing } from "../core/drawing";
import { HistogramView } from "../core/histogramView";
import { paintLegend } from "./histogramLegend";
import { paintHistograms, type Look } from "./histogramPaint";
import { areaOf, type Drawing } from "./histogramPlot";
import { VectorPen } from "./pen";
import type { Size } from "./plotFrame";

/** Steps of the colour map that a page holds: --shade-0 to --shade-47. */
const SHADES = 48;

/** Distributions over steps as a drawing of a page, as the chart on the screen shows them. */
export function histogramDrawing({ histograms, shape, axis, values, colour, unit }: Drawing, size: Size): PageDrawing {
  const view = new HistogramView(histograms, shape, axis, areaOf(shape, size), values);
  const pen = new VectorPen();
  const look: Look = { axis, unit, ink: (token) => token, tint: (alpha) => faded(colour, alpha), shade: (share, alpha) => faded(shadeOf(share), alpha) };
  if (view.positions.length > 0) {
    paintHistograms(pen, view, look, size.width);
    paintLegend(pen, view, look);
  }
  return { ...size, body: pen.body(), plot: null };
}

/** The place of a share in the colour map, which the page knows in either theme. */
export function shadeOf(share: number): string {
  return `var(--shade-${Math.round(Math.min(1, Math.max(0, share)) * (SHADES - 1))})`;
}

function faded(colour: string, alpha = 1): string {
  return alpha === 1 ? colour : `color-mix(in srgb,${colour} ${Math.round(100 * alpha)}%,transparent)`;
}
