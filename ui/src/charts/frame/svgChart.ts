// SPDX-License-Identifier: Apache-2.0
import { bandOpacity } from "../../core/series/band";
import { SvgPen, traceBand, traceCurve, type Projection } from "../../core/series/curvePath";

export interface SvgCurve {
  label: string;
  color: string;
  /** Lengths of dashes and gaps; empty for a whole line. */
  dash: readonly number[];
  /** Number of the vertical axis. */
  scale: number;
  /** One of many, drawn pale behind the lines. */
  isBehind: boolean;
  x: ArrayLike<number>;
  raw: ArrayLike<number>;
  smoothed: ArrayLike<number> | null;
  band: { low: ArrayLike<number>; high: ArrayLike<number> } | null;
  /** Shapes on the edges, for what has no place in the chart. */
  marks: readonly { path: string; isFilled: boolean }[];
}

interface Tick {
  at: number;
  label: string;
}

/** A vertical axis; `edge` is where its labels end that the plotting area is nearest to, `width` how much room it takes. */
export interface SvgYAxis {
  title: string;
  ticks: readonly Tick[];
  /** Null for that of all text. */
  color: string | null;
  isRight: boolean;
  edge: number;
  width: number;
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
  yAxes: readonly SvgYAxis[];
  guides: readonly Tick[];
  curves: readonly SvgCurve[];
  ink: { text: string; grid: string; paper: string; guide: string };
}

const FONT = `font-family="Inter, system-ui, sans-serif" font-size="11"`;
const LEGEND_ROW = 16;
/** How much is seen of a line among many behind the others. */
export const BEHIND = 0.12;

/** A standalone SVG of a chart: title, axes, curves over their raw values, legend. */
export function svgChart(chart: SvgChart): string {
  const { plot, ink } = chart;
  const [behind, drawn] = [chart.curves.filter(({ isBehind }) => isBehind), chart.curves.filter(({ isBehind }) => !isBehind)];
  const height = chart.height + 28 + drawn.length * LEGEND_ROW + 8;
  const opacity = bandOpacity(drawn.filter(({ band }) => band !== null).length);
  const pale = behind.map((curve) =>
    paths({ ...curve, color: ink.text, raw: curve.smoothed ?? curve.raw, smoothed: null }, chart.projections[curve.scale]!, BEHIND),
  );
  const lines = drawn.map((curve) => area(curve, chart.projections[curve.scale]!, opacity) + paths(curve, chart.projections[curve.scale]!));
  const body = [
    grid(chart),
    ...chart.yAxes.map((_, index) => upright(chart, index)),
    clipped(plot, [...pale, ...lines].join("")),
    ...drawn.map(marks),
    ...chart.guides.map((one) => guide(chart, one)),
  ].join("");
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" width="${chart.width}" height="${height}" viewBox="0 -28 ${chart.width} ${height}">` +
    `<rect y="-28" width="100%" height="100%" fill="${ink.paper}"/>` +
    `<text x="12" y="-10" ${FONT} font-weight="600" fill="${ink.text}">${escapeXml(chart.title)}</text>${body}${legend({ ...chart, curves: drawn })}</svg>\n`
  );
}

/** An SVG inside of the SVG cuts what reaches beyond it, without a name that another picture in a page may have too. */
function clipped({ left, top, right, bottom }: SvgChart["plot"], lines: string): string {
  const [width, height] = [right - left, bottom - top];
  return `<svg x="${left}" y="${top}" width="${width}" height="${height}" viewBox="${left} ${top} ${width} ${height}">${lines}</svg>`;
}

function grid({ plot, xTicks, yAxes, ink }: SvgChart): string {
  const horizontal = yAxes[0]!.ticks.map(({ at }) => `<path d="M${plot.left} ${at}H${plot.right}" stroke="${ink.grid}"/>`);
  const vertical = xTicks.map(
    ({ at, label }) =>
      `<path d="M${at} ${plot.top}V${plot.bottom}" stroke="${ink.grid}"/>` +
      `<text x="${at}" y="${plot.bottom + 16}" text-anchor="middle" ${FONT} fill="${ink.text}">${escapeXml(label)}</text>`,
  );
  return [...horizontal, ...vertical].join("");
}

function upright({ plot, yAxes, ink }: SvgChart, index: number): string {
  const { title, ticks, color, isRight, edge, width } = yAxes[index]!;
  const look = `${FONT} fill="${color ?? ink.text}"`;
  const x = edge + (isRight ? 6 : -6);
  const labels = ticks.map(
    ({ at, label }) => `<text x="${x}" y="${at + 4}" text-anchor="${isRight ? "start" : "end"}" ${look}>${escapeXml(label)}</text>`,
  );
  if (title === "") return labels.join("");
  const place = `translate(${edge + (isRight ? width - 12 : 16 - width)} ${(plot.top + plot.bottom) / 2}) rotate(${isRight ? 90 : -90})`;
  return `${labels.join("")}<text text-anchor="middle" transform="${place}" ${look}>${escapeXml(title)}</text>`;
}

function guide({ plot, ink }: SvgChart, { at, label }: Tick): string {
  if (at < plot.top || at > plot.bottom) return "";
  return (
    `<path d="M${plot.left} ${at}H${plot.right}" stroke="${ink.guide}" stroke-dasharray="4 3"/>` +
    `<text x="${plot.right - 4}" y="${at - 3}" text-anchor="end" ${FONT} fill="${ink.guide}">${escapeXml(label)}</text>`
  );
}

function paths(curve: SvgCurve, projection: Projection, whole = 1): string {
  const line = (values: ArrayLike<number>, opacity: number): string => {
    const pen = new SvgPen();
    traceCurve(pen, curve.x, values, projection);
    const stroke = `stroke="${curve.color}" stroke-width="1.5" stroke-opacity="${opacity}"${dashOf(curve)}`;
    return `<path d="${pen}" fill="none" stroke-linejoin="round" stroke-linecap="round" ${stroke}/>`;
  };
  if (!curve.smoothed) return line(curve.raw, whole);
  return (curve.band ? "" : line(curve.raw, 0.34)) + line(curve.smoothed, 1);
}

function marks({ marks, color }: SvgCurve): string {
  return marks
    .map(({ path, isFilled }) => `<path d="${path}" fill="${isFilled ? color : "none"}" stroke="${color}" stroke-width="1.5"/>`)
    .join("");
}

function dashOf({ dash }: SvgCurve): string {
  return dash.length > 0 ? ` stroke-dasharray="${dash.join(" ")}"` : "";
}

function area({ x, band, color }: SvgCurve, projection: Projection, opacity: number): string {
  if (!band) return "";
  const pen = new SvgPen();
  traceBand(pen, x, band.low, band.high, projection);
  return `<path d="${pen}" fill="${color}" fill-opacity="${opacity}"/>`;
}

function legend({ curves, height, ink }: SvgChart): string {
  return curves
    .map((curve, index) => {
      const y = height + 12 + index * LEGEND_ROW;
      return (
        `<path d="M12 ${y - 4}h14" stroke="${curve.color}" stroke-width="2"${dashOf(curve)}/>` +
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
