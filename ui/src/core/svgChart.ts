// SPDX-License-Identifier: Apache-2.0
import { bandOpacity } from "./band";
import { SvgPen, traceBand, traceCurve, type Projection } from "./curvePath";

export interface SvgCurve {
  label: string;
  colour: string;
  /** Lengths of dashes and gaps; empty for a whole line. */
  dash: readonly number[];
  /** Number of the vertical axis. */
  scale: number;
  x: ArrayLike<number>;
  raw: ArrayLike<number>;
  smoothed: ArrayLike<number> | null;
  band: { low: ArrayLike<number>; high: ArrayLike<number> } | null;
}

interface Tick {
  at: number;
  label: string;
}

export interface SvgChart {
  title: string;
  width: number;
  height: number;
  /** Edges of the plotting area. */
  plot: { left: number; top: number; right: number; bottom: number };
  /** One for each vertical axis; x is the same in all of them. */
  projections: readonly Projection[];
  xTicks: readonly Tick[];
  /** The first stands left and the second right, in turn. */
  uprights: readonly { title: string; ticks: readonly Tick[] }[];
  guides: readonly Tick[];
  curves: readonly SvgCurve[];
  ink: { text: string; grid: string; paper: string; guide: string };
}

const FONT = `font-family="Inter, system-ui, sans-serif" font-size="11"`;
const LEGEND_ROW = 16;

/** A picture of a chart that stands alone: title, axes, curves with the raw ones behind, legend. */
export function svgChart(chart: SvgChart): string {
  const { plot, ink } = chart;
  const height = chart.height + 28 + chart.curves.length * LEGEND_ROW + 8;
  const clip = `<clipPath id="plot"><rect x="${plot.left}" y="${plot.top}" width="${plot.right - plot.left}" height="${plot.bottom - plot.top}"/></clipPath>`;
  const opacity = bandOpacity(chart.curves.filter(({ band }) => band !== null).length);
  const lines = chart.curves.map((curve) => area(curve, chart.projections[curve.scale]!, opacity) + paths(curve, chart.projections[curve.scale]!));
  const body = [grid(chart), ...chart.uprights.map((_, index) => upright(chart, index)), ...lines, ...chart.guides.map((one) => guide(chart, one))].join("");
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" width="${chart.width}" height="${height}" viewBox="0 -28 ${chart.width} ${height}">` +
    `<rect y="-28" width="100%" height="100%" fill="${ink.paper}"/>${clip}` +
    `<text x="12" y="-10" ${FONT} font-weight="600" fill="${ink.text}">${escapeXml(chart.title)}</text>${body}${legend(chart)}</svg>\n`
  );
}

function grid({ plot, xTicks, uprights, ink }: SvgChart): string {
  const horizontal = uprights[0]!.ticks.map(({ at }) => `<path d="M${plot.left} ${at}H${plot.right}" stroke="${ink.grid}"/>`);
  const vertical = xTicks.map(
    ({ at, label }) =>
      `<path d="M${at} ${plot.top}V${plot.bottom}" stroke="${ink.grid}"/>` +
      `<text x="${at}" y="${plot.bottom + 16}" text-anchor="middle" ${FONT} fill="${ink.text}">${escapeXml(label)}</text>`,
  );
  return [...horizontal, ...vertical].join("");
}

function upright({ plot, uprights, ink }: SvgChart, index: number): string {
  const isLeft = index % 2 === 0;
  const away = 6 + Math.floor(index / 2) * 52;
  const x = isLeft ? plot.left - away : plot.right + away;
  const anchor = isLeft ? "end" : "start";
  return uprights[index]!.ticks
    .map(({ at, label }) => `<text x="${x}" y="${at + 4}" text-anchor="${anchor}" ${FONT} fill="${ink.text}">${escapeXml(label)}</text>`)
    .join("");
}

function guide({ plot, ink }: SvgChart, { at, label }: Tick): string {
  if (at < plot.top || at > plot.bottom) return "";
  return (
    `<path d="M${plot.left} ${at}H${plot.right}" stroke="${ink.guide}" stroke-dasharray="4 3"/>` +
    `<text x="${plot.right - 4}" y="${at - 3}" text-anchor="end" ${FONT} fill="${ink.guide}">${escapeXml(label)}</text>`
  );
}

function paths(curve: SvgCurve, projection: Projection): string {
  const line = (values: ArrayLike<number>, opacity: number): string => {
    const pen = new SvgPen();
    traceCurve(pen, curve.x, values, projection);
    const stroke = `stroke="${curve.colour}" stroke-width="1.5" stroke-opacity="${opacity}"${dashOf(curve)}`;
    return `<path clip-path="url(#plot)" d="${pen}" fill="none" stroke-linejoin="round" stroke-linecap="round" ${stroke}/>`;
  };
  return curve.smoothed ? line(curve.raw, 0.3) + line(curve.smoothed, 1) : line(curve.raw, 1);
}

function dashOf({ dash }: SvgCurve): string {
  return dash.length > 0 ? ` stroke-dasharray="${dash.join(" ")}"` : "";
}

function area({ x, band, colour }: SvgCurve, projection: Projection, opacity: number): string {
  if (!band) return "";
  const pen = new SvgPen();
  traceBand(pen, x, band.low, band.high, projection);
  return `<path clip-path="url(#plot)" d="${pen}" fill="${colour}" fill-opacity="${opacity}"/>`;
}

function legend({ curves, height, ink }: SvgChart): string {
  return curves
    .map((curve, index) => {
      const y = height + 12 + index * LEGEND_ROW;
      return (
        `<path d="M12 ${y - 4}h14" stroke="${curve.colour}" stroke-width="2"${dashOf(curve)}/>` +
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
