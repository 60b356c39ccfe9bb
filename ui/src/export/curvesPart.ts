// SPDX-License-Identifier: Apache-2.0
import { curveDrawing } from "../charts/export/curveDrawing";
import type { Range } from "../core/scales/axis";
import { rangesOf, wholeRanges, type Curve, type Scaling } from "../core/series/curve";
import type { DrawnLine } from "../core/layout/vectorDrawing";
import { formatValue, groupDigits } from "../core/text/format";
import type { Series } from "../core/series/series";
import { chartCounts, seriesSummary } from "../core/series/seriesSummary";
import type { Box } from "../core/scales/zoom";
import { t } from "../i18n/i18n.svelte";
import type { CardPin, CurvesPart, TablePart } from "./html/model";
import { settingsOfChart, thresholdGuides } from "../state/charts/curveStyles";
import { view } from "../state/view/view.svelte";
import { nanText } from "../state/charts/nanText";

/** Points of all curves of a file: above this much a browser is slow to open it. */
const MOST_POINTS = 1_500_000;
/** Maximum number of points per pixel column. */
const POINTS_A_PIXEL = 4;
const [FEWEST_PIXELS, MOST_PIXELS] = [128, 1024];
/** Tables with more rows are folded. */
const ROWS = 6;

export interface Size {
  width: number;
  height: number;
}

/** Cards beside each other, or one that has the page for itself. */
const [SMALL, LARGE]: readonly [Size, Size] = [
  { width: 560, height: 280 },
  { width: 1060, height: 440 },
];

let block: "half" | "full" | null = null;

export function drawingSize(cards: number): Size {
  return block === null ? (cards === 1 ? LARGE : SMALL) : block === "half" ? SMALL : LARGE;
}

/** In a report, drawings are as wide as their block, however many cards the page has; null for a page. */
export function fitDrawings(width: typeof block): void {
  block = width;
}

/** Pixel columns per line, for a number of lines. */
export function pixelsOf(lines: number): number {
  const room = MOST_POINTS / Math.max(1, lines) / POINTS_A_PIXEL;
  return Math.min(MOST_PIXELS, Math.max(FEWEST_PIXELS, 2 ** Math.floor(Math.log2(room))));
}

interface CurvesCard {
  key: string;
  label: string;
  curves: readonly Curve[];
  yAxes: readonly { title: string; color: string | null; isTitled?: boolean }[];
  scaling: Scaling;
  zoom: Box | null;
  /** Extents of values of the other facets. */
  shared: readonly (Range | null)[];
  size: Size;
  hasGuides: boolean;
}

/** The chart of some curves as it is on the screen, zoomed as it is there. */
export function curvesPart(card: CurvesCard, lines: readonly DrawnLine[]): CurvesPart {
  const { curves, scaling, yAxes, zoom, shared, size, label } = card;
  const { axis: along, xTag } = settingsOfChart(card.key);
  const own = view.scalars.own.get(card.key);
  const guides = card.hasGuides ? thresholdGuides(card.key) : [];
  const axis = xTag === null ? along : "value";
  const limits = guides.map(({ value }) => value);
  const whole = wholeRanges(curves, scaling, limits, shared);
  const ranges = zoom ? rangesOf(zoom, whole, scaling) : shared.length > 0 ? whole : null;
  return {
    kind: "curves",
    label,
    drawing: curveDrawing({
      curves,
      axis,
      axisName: own?.xTitle || (xTag ?? ""),
      isTitled: Boolean(own?.xTitle),
      scaling,
      yAxes,
      guides,
      ranges,
      size,
    }),
    lines,
  };
}

/** What keeps a chart at the points that it has now. */
export function chartPin(key: string, { drawing: { plot } }: CurvesPart): CardPin | undefined {
  const [y] = plot?.ys ?? [];
  return plot && y ? { chart: key, box: { x: plot.x.range, y: y.range } } : undefined;
}

/** The numbers of a curve, with the steps where the axis says something else. */
export function lineOf(curve: Curve, series: Series, key: string): DrawnLine {
  const { axis, xTag } = settingsOfChart(key);
  const { label, part, color, scale, x, raw, smoothed } = curve;
  return { name: label, part, color, scale, x, value: raw, smoothed, step: axis === "step" && xTag === null ? null : series.step };
}

/** Last, lowest and highest value of each curve, of the part that is shown. */
export function curvesTable(curves: readonly Curve[], series: readonly Series[], range: Range | null): TablePart {
  const number = (value: number | null): { text: string; value: number | null } => ({ text: formatValue(value, 6), value });
  const rows = series.map((one, index) => {
    const { color, label, part } = curves[index]!;
    const { last, minimum, maximum, points } = seriesSummary(one, range && { places: curves[index]!.x, range });
    const name = part === "" ? label : `${label} · ${part}`;
    return {
      color,
      cells: [{ text: name, value: name }, number(last), number(minimum), number(maximum), { text: groupDigits(points), value: points }],
    };
  });
  const titles = [t("legend.last"), t("legend.minimum"), t("legend.maximum"), t("legend.points")];
  const columns = [{ title: t("legend.run"), isNumber: false }, ...titles.map((title) => ({ title, isNumber: true }))];
  return { kind: "table", label: `${t("saved.figures")} · ${rows.length}`, columns, rows, isFolded: rows.length > ROWS };
}

/** What must be said of curves so that they are honest. */
export function curveFacts(curves: readonly Curve[], series: readonly Series[], isLog: boolean, zoom: Box | null): string[] {
  const { points, returned, isReduced, nan, infinite, notPositive } = chartCounts(series, isLog);
  return [
    ...(zoom ? [t("saved.zoomed")] : []),
    ...(points === 0 ? [t("saved.no_points")] : []),
    ...(curves.some(({ mean }) => mean !== null) ? [t("card.mean")] : []),
    ...(isReduced ? [t("saved.reduced", { returned: groupDigits(returned), points: groupDigits(points) })] : []),
    ...(nan > 0 ? [zoom ? t("card.nan", { n: nan }) : nanText(series)] : []),
    ...(infinite > 0 ? [t("card.infinite", { n: infinite })] : []),
    ...(notPositive > 0 ? [t("card.not_positive", { n: notPositive })] : []),
  ];
}
