// SPDX-License-Identifier: Apache-2.0
import type { Curve } from "../core/curve";
import { svgChart, type SvgChart, type SvgCurve } from "../core/svgChart";
import { drawableValues } from "../core/curvePath";
import { scaleName, TICK_FONT, xLabels, xTicks, yLabels, yTicks } from "./axes";
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
    ctx.fillText(legendText(curve), 32, y);
  });
}

/** The same as a drawing. */
export function chartSvg(plot: CurvePlot, title: string): Blob {
  const { across } = plot;
  const { bbox, scales, width, height } = plot.plot;
  const [left, top, plotWidth, plotHeight] = [bbox.left, bbox.top, bbox.width, bbox.height].map((size) => size / devicePixelRatio) as [number, number, number, number];
  const projections = plot.uprights.map((_, index) => projectionOf(plot.plot, devicePixelRatio, index));
  const ticks = xTicks(across, [scales["x"]!.min!, scales["x"]!.max!], plotWidth);
  const chart: SvgChart = {
    title,
    width,
    height,
    plot: { left, top, right: left + plotWidth, bottom: top + plotHeight },
    projections,
    xTicks: xLabels(across, ticks).map((label, index) => ({ at: projections[0]!.x(ticks[index]!), label })),
    uprights: plot.uprights.map((upright, index) => {
      const scale = scales[scaleName(index)]!;
      const up = yTicks(upright.isLog, [scale.min!, scale.max!], plotHeight);
      return { title: upright.title, ticks: yLabels(upright.isLog, up).map((label, tick) => ({ at: projections[index]!.y(up[tick]!), label })) };
    }),
    guides: plot.guides.map(({ value, label }) => ({ at: projections[0]!.y(value), label })),
    curves: plot.curves.map((curve) => svgCurve(plot, curve, across.isLog)),
    ink: {
      text: plot.inks.hex("var(--ink)"),
      grid: plot.inks.hex("var(--grid-line)"),
      paper: plot.inks.hex("var(--paper)"),
      guide: plot.inks.hex("var(--warn)"),
    },
  };
  return new Blob([svgChart(chart)], { type: "image/svg+xml" });
}

function legendText({ label, part }: Curve): string {
  return part === "" ? label : `${label} · ${part}`;
}

function svgCurve(plot: CurvePlot, curve: Curve, isLogX: boolean): SvgCurve {
  const drawable = (values: Float32Array): Float32Array =>
    drawableValues(values, plot.uprights[curve.scale]!.isLog, isLogX ? curve.x : null);
  return {
    label: legendText(curve),
    colour: plot.inks.hex(curve.colour),
    dash: curve.dash,
    scale: curve.scale,
    x: curve.x,
    raw: drawable(curve.raw),
    smoothed: curve.smoothed && drawable(curve.smoothed),
    band: curve.band && { low: drawable(curve.band.low), high: drawable(curve.band.high) },
  };
}
