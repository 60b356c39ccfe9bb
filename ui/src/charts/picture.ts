// SPDX-License-Identifier: Apache-2.0
import type { Axis } from "../core/axis";
import { svgChart, type SvgChart } from "../core/svgChart";
import { drawableValues } from "../core/curvePath";
import { TICK_FONT, xLabels, xTicks, yLabels, yTicks } from "./axes";
import type { CurvePlot } from "./curvePlot";
import { projectionOf } from "./paint";

const TITLE = 28;
const ROW = 16;

/** The chart as it is on the screen, with its title above and the names of its curves below. */
export async function chartPng(plot: CurvePlot, title: string): Promise<Blob> {
  const layers = plot.canvases();
  const source = layers[0]!;
  const ratio = devicePixelRatio;
  const canvas = document.createElement("canvas");
  canvas.width = source.width;
  canvas.height = source.height + (TITLE + plot.curves.length * ROW + 12) * ratio;
  const ctx = canvas.getContext("2d")!;
  ctx.fillStyle = plot.inks.resolve("var(--paper)");
  ctx.fillRect(0, 0, canvas.width, canvas.height);
  for (const layer of layers) if (layer.width > 0) ctx.drawImage(layer, 0, TITLE * ratio);
  ctx.scale(ratio, ratio);
  paintText(ctx, plot, title, TITLE + source.height / ratio);
  return new Promise((resolve, reject) => {
    canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error("the picture is too large for this browser"))));
  });
}

function paintText(ctx: CanvasRenderingContext2D, plot: CurvePlot, title: string, top: number): void {
  ctx.fillStyle = plot.inks.resolve("var(--ink)");
  ctx.font = `600 ${TICK_FONT.replace("11px", "13px")}`;
  ctx.fillText(title, 12, 19);
  ctx.font = TICK_FONT;
  plot.curves.forEach((curve, index) => {
    const y = top + 12 + index * ROW;
    ctx.fillStyle = plot.inks.resolve(curve.colour);
    ctx.fillRect(12, y - 5, 14, 2);
    ctx.fillStyle = plot.inks.resolve("var(--ink)");
    ctx.fillText(curve.label, 32, y);
  });
}

/** The same as a drawing. */
export function chartSvg(plot: CurvePlot, title: string, axis: Axis, isLog: boolean): Blob {
  const { bbox, scales, width, height } = plot.plot;
  const [left, top, plotWidth, plotHeight] = [bbox.left, bbox.top, bbox.width, bbox.height].map((size) => size / devicePixelRatio) as [number, number, number, number];
  const projection = projectionOf(plot.plot, devicePixelRatio);
  const across = xTicks(axis, [scales["x"]!.min!, scales["x"]!.max!], plotWidth);
  const up = yTicks(isLog, [scales["y"]!.min!, scales["y"]!.max!], plotHeight);
  const chart: SvgChart = {
    title,
    width,
    height,
    plot: { left, top, right: left + plotWidth, bottom: top + plotHeight },
    projection,
    xTicks: xLabels(axis, across).map((label, index) => ({ at: projection.x(across[index]!), label })),
    yTicks: yLabels(isLog, up).map((label, index) => ({ at: projection.y(up[index]!), label })),
    curves: plot.curves.map((curve) => ({
      label: curve.label,
      colour: plot.inks.hex(curve.colour),
      x: curve.x,
      raw: drawableValues(curve.raw, isLog),
      smoothed: curve.smoothed && drawableValues(curve.smoothed, isLog),
    })),
    ink: { text: plot.inks.hex("var(--ink)"), grid: plot.inks.hex("var(--grid-line)"), paper: plot.inks.hex("var(--paper)") },
  };
  return new Blob([svgChart(chart)], { type: "image/svg+xml" });
}
