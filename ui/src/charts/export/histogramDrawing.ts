// SPDX-License-Identifier: Apache-2.0
import type { Drawing as PageDrawing } from "../../core/layout/vectorDrawing";
import { HistogramLayout } from "../../core/series/histogramLayout";
import { paintLegend } from "../histograms/histogramLegend";
import { paintHistograms, type Look } from "../histograms/paintHistograms";
import { areaOf, type Drawing } from "../histograms/histogramPlot";
import { SvgContext } from "../frame/svgContext";
import type { Size } from "../frame/plotFrame";

/** Steps of the color map that a page holds: --shade-0 to --shade-47. */
const SHADES = 48;

/** Histograms over steps as a drawing of a page, as the chart on the screen shows them. */
export function histogramDrawing({ histograms, shape, axis, values, color, unit }: Drawing, size: Size): PageDrawing {
  const view = new HistogramLayout(histograms, shape, axis, areaOf(shape, size), values);
  const surface = new SvgContext();
  const look: Look = {
    axis,
    unit,
    ratio: 1,
    ink: (token) => token,
    tint: (alpha) => faded(color, alpha),
    shade: (share, alpha) => faded(shadeOf(share), alpha),
  };
  if (view.positions.length > 0) {
    paintHistograms(surface, view, look, size.width);
    paintLegend(surface, view, look);
  }
  return { ...size, body: surface.body(), plot: null };
}

/** The place of a share in the color map, which the page knows in either theme. */
export function shadeOf(share: number): string {
  return `var(--shade-${Math.round(Math.min(1, Math.max(0, share)) * (SHADES - 1))})`;
}

function faded(color: string, alpha = 1): string {
  return alpha === 1 ? color : `color-mix(in srgb,${color} ${Math.round(100 * alpha)}%,transparent)`;
}
