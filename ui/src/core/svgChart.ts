// SPDX-License-Identifier: Apache-2.0
import { SvgPen, traceCurve, type Projection } from "./curvePath";

export interface SvgCurve {
  label: string;
  colour: string;
  x: ArrayLike<number>;
  raw: ArrayLike<number>;
  smoothed: ArrayLike<number> | null;
}

export interface SvgChart {
  title: string;
  width: number;
  height: number;
  /** Edges of the plotting area. */
  plot: { left: number; top: number; right: number; bottom: number };
  projection: Projection;
  xTicks: readonly { at: number; label: string }[];
  yTicks: readonly { at: number; label: string }[];
  curves: readonly SvgCurve[];
  ink: { text: string; grid: string; paper: string };
}

const FONT = `font-family="Inter, system-ui, sans-serif" font-size="11"`;
const LEGEND_ROW = 16;

/** A picture of a chart that stands alone: title, axes, curves with the raw ones behind, legend. */
export function svgChart(chart: SvgChart): string {
  const { plot, ink } = chart;
  const height = chart.height + 28 + chart.curves.length * LEGEND_ROW + 8;
  const clip = `<clipPath id="plot"><rect x="${plot.left}" y="${plot.top}" width="${plot.right - plot.left}" height="${plot.bottom - plot.top}"/></clipPath>`;
  const body = [grid(chart), ...chart.curves.map((curve) => paths(curve, chart.projection))].join("");
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" width="${chart.width}" height="${height}" viewBox="0 -28 ${chart.width} ${height}">` +
    `<rect y="-28" width="100%" height="100%" fill="${ink.paper}"/>${clip}` +
    `<text x="12" y="-10" ${FONT} font-weight="600" fill="${ink.text}">${escapeXml(chart.title)}</text>${body}${legend(chart)}</svg>\n`
  );
}

function grid({ plot, xTicks, yTicks, ink }: SvgChart): string {
  const horizontal = yTicks.map(
    ({ at, label }) =>
      `<path d="M${plot.left} ${at}H${plot.right}" stroke="${ink.grid}"/>` +
      `<text x="${plot.left - 6}" y="${at + 4}" text-anchor="end" ${FONT} fill="${ink.text}">${escapeXml(label)}</text>`,
  );
  const vertical = xTicks.map(
    ({ at, label }) =>
      `<path d="M${at} ${plot.top}V${plot.bottom}" stroke="${ink.grid}"/>` +
      `<text x="${at}" y="${plot.bottom + 16}" text-anchor="middle" ${FONT} fill="${ink.text}">${escapeXml(label)}</text>`,
  );
  return [...horizontal, ...vertical].join("");
}

function paths(curve: SvgCurve, projection: Projection): string {
  const line = (values: ArrayLike<number>, opacity: number): string => {
    const pen = new SvgPen();
    traceCurve(pen, curve.x, values, projection);
    const stroke = `stroke="${curve.colour}" stroke-width="1.5" stroke-opacity="${opacity}"`;
    return `<path clip-path="url(#plot)" d="${pen}" fill="none" stroke-linejoin="round" stroke-linecap="round" ${stroke}/>`;
  };
  return curve.smoothed ? line(curve.raw, 0.3) + line(curve.smoothed, 1) : line(curve.raw, 1);
}

function legend({ curves, height, ink }: SvgChart): string {
  return curves
    .map((curve, index) => {
      const y = height + 12 + index * LEGEND_ROW;
      return (
        `<path d="M12 ${y - 4}h14" stroke="${curve.colour}" stroke-width="2"/>` +
        `<text x="32" y="${y}" ${FONT} fill="${ink.text}">${escapeXml(curve.label)}</text>`
      );
    })
    .join("");
}

export function escapeXml(text: string): string {
  const names: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };
  const printable = [...text].filter((letter) => letter >= " " || letter === "\t").join("");
  return printable.replace(/[&<>"]/g, (letter) => names[letter]!);
}
