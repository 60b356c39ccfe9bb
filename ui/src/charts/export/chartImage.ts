// SPDX-License-Identifier: Apache-2.0
import type { Floats } from "../../core/series/series";
import type { Curve } from "../../core/series/curve";
import { svgChart, type SvgChart, type SvgCurve, type SvgYAxis } from "../frame/svgChart";
import { drawableValues } from "../../core/series/curvePath";
import { TICK_FONT } from "../frame/axes";
import type { CurvePlot } from "../curves/curvePlot";
import { edgeMarks } from "../frame/edgeMarks";
import type { AxisTicks, YAxisFrame } from "../frame/plotFrame";

const TITLE = 28;
const ROW = 16;

/** The chart as it is on the screen, with its title above and the names of its curves below. */
export async function chartPng(plot: CurvePlot, title: string): Promise<Blob> {
  const source = plot.picture();
  const { width, height } = plot.frame.size;
  const ratio = devicePixelRatio;
  const canvas = document.createElement("canvas");
  canvas.width = Math.round(width * ratio);
  canvas.height = Math.round((height + TITLE + legendCurves(plot).length * ROW + 12) * ratio);
  const ctx = canvas.getContext("2d")!;
  ctx.fillStyle = plot.themeColors.resolve("var(--paper)");
  ctx.fillRect(0, 0, canvas.width, canvas.height);
  if (source) ctx.drawImage(source, 0, TITLE * ratio);
  ctx.scale(ratio, ratio);
  paintText(ctx, plot, title, TITLE + height);
  return new Promise((resolve, reject) => {
    canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error("the picture is too large for this browser"))));
  });
}

function paintText(ctx: CanvasRenderingContext2D, plot: CurvePlot, title: string, top: number): void {
  ctx.fillStyle = plot.themeColors.resolve("var(--ink)");
  ctx.font = `600 ${TICK_FONT.replace("11px", "13px")}`;
  ctx.fillText(title, 12, 19);
  ctx.font = TICK_FONT;
  legendCurves(plot).forEach((curve, index) => {
    const y = top + 12 + index * ROW;
    ctx.fillStyle = plot.themeColors.resolve(curve.color);
    ctx.fillRect(12, y - 5, 14, 2);
    ctx.fillStyle = plot.themeColors.resolve("var(--ink)");
    ctx.fillText(legendText(curve), 32, y);
  });
}

/** The same as a drawing. */
export function chartSvg(plot: CurvePlot, title: string): Blob {
  const { size, area, projections, bottom, yAxes } = plot.frame;
  const chart: SvgChart = {
    title,
    ...size,
    plot: { left: area.left, top: area.top, right: area.left + area.width, bottom: area.top + area.height },
    projections,
    xTicks: placed(bottom, projections[0]!.x),
    yAxes: yAxes.map((upright, index) => svgYAxis(plot, upright, placed(upright, projections[index]!.y))),
    guides: plot.guides.map(({ value, label }) => ({ at: projections[0]!.y(value), label })),
    curves: plot.curves.map((curve) => svgCurve(plot, curve)),
    ink: {
      text: plot.themeColors.hex("var(--ink)"),
      grid: plot.themeColors.hex("var(--grid-line)"),
      paper: plot.themeColors.hex("var(--paper)"),
      guide: plot.themeColors.hex("var(--warn)"),
    },
  };
  return new Blob([svgChart(chart)], { type: "image/svg+xml" });
}

function placed({ ticks, labels }: AxisTicks, place: (value: number) => number): { at: number; label: string }[] {
  return labels.map((label, index) => ({ at: place(ticks[index]!), label }));
}

function svgYAxis(
  { frame: { area }, themeColors }: CurvePlot,
  { title, color, isRight, offset, width }: YAxisFrame,
  ticks: SvgYAxis["ticks"],
): SvgYAxis {
  const edge = isRight ? area.left + area.width + offset : area.left - offset;
  return { title, ticks, color: color === null ? null : themeColors.hex(color), isRight, edge, width };
}

/** Curves that are lines of their own; the others are the density behind them. */
function legendCurves({ curves }: CurvePlot): readonly Curve[] {
  return curves.filter(({ isBehind }) => !isBehind);
}

function legendText({ label, part }: Curve): string {
  return part === "" ? label : `${label} · ${part}`;
}

function svgCurve(plot: CurvePlot, curve: Curve): SvgCurve {
  const { isLog, isLogX } = plot.scaling;
  const drawable = (values: Floats): Floats => drawableValues(values, isLog, isLogX ? curve.x : null);
  return {
    label: legendText(curve),
    color: plot.themeColors.hex(curve.color),
    dash: curve.dash,
    scale: curve.scale,
    isBehind: curve.isBehind ?? false,
    x: curve.x,
    raw: drawable(curve.raw),
    smoothed: curve.smoothed && drawable(curve.smoothed),
    band: curve.band && { low: drawable(curve.band.low), high: drawable(curve.band.high) },
    marks: edgeMarks(curve, plot.frame, { isLog, isLogX, marksFar: plot.marksFar }),
  };
}
