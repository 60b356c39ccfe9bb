// SPDX-License-Identifier: Apache-2.0
import type { Axis } from "../../core/scales/axis";
import { formatTicks } from "../../core/text/format";
import { BAND_SHARES, type HistogramLayout } from "../../core/series/histogramLayout";
import { linearTicks } from "../../core/scales/ticks";
import { TICK_FONT, xLabels, xTicks } from "../frame/axes";
import { crisp, segment, type Ink, type Surface } from "../frame/surface";

/** Colors and words of a drawing. */
export interface Look {
  axis: Axis;
  /** The color of the run with this opacity. */
  tint: (alpha?: number) => string;
  /** The color map from 0 (low) to 1 (high), with this opacity. */
  shade: (share: number, alpha?: number) => string;
  ink: Ink;
  /** Pixels of the surface for a CSS pixel. */
  ratio: number;
  /** What the colors of a heat map count. */
  unit: string;
}

const BAND_ALPHAS = [0.14, 0.22, 0.32, 0.44];
const ODD_MARK = 3;
/** Height difference in pixels below which a bucket counts as flat. */
const FLAT = 0.02;
/** Part of the color map for lines: its faint end is for areas. */
export const LINE_FROM = 0.22;
export const LINE_TO = 0.85;
/** How much stronger than its area an edge is. */
const EDGE = 0.16;
/** Bands whose edges are drawn over a heat map: that of 68 % of the values, and the median. */
const LINES_OF_HEAT = [2, 4, 6];

export function paintHistograms(surface: Surface, view: HistogramLayout, look: Look, width: number): void {
  paintAxes(surface, view, look, width);
  if (view.isValueHorizontal) paintOutlines(surface, view, look);
  else if (view.shape === "heat") paintHeat(surface, view, look);
  else paintBands(surface, view, look);
  paintOdd(surface, view, look);
}

function paintAxes(surface: Surface, view: HistogramLayout, { axis, ink, ratio }: Look, fullWidth: number): void {
  const { left, top, width, height } = view.area;
  surface.font = TICK_FONT;
  const values = linearTicks(view.valueRange, view.isValueHorizontal ? Math.max(3, width / 70) : Math.max(3, height / 30));
  const valueLabels = formatTicks(values);
  const length = view.isValueHorizontal ? (height - view.lane) * 2 : width;
  const steps = view.shape === "front" ? [] : xTicks({ axis, isLog: false }, view.stepRange, length);
  const stepLabels = xLabels({ axis, isLog: false }, steps);
  surface.strokeStyle = ink("var(--grid-line)");
  surface.fillStyle = ink("var(--ink-soft)");
  surface.lineWidth = 1;
  const down = view.isValueHorizontal ? values.map((value) => view.valueAt(value)) : steps.map((step) => view.stepAt(step));
  const across = view.isValueHorizontal ? steps.map((step) => view.stepAt(step)) : values.map((value) => view.valueAt(value));
  const [downLabels, bottomLabels] = view.isValueHorizontal ? [valueLabels, stepLabels] : [stepLabels, valueLabels];
  surface.beginPath();
  for (const x of down) segment(surface, crisp(x, ratio), top, crisp(x, ratio), top + height);
  for (const y of across) segment(surface, left, crisp(y, ratio), left + width, crisp(y, ratio));
  surface.stroke();
  surface.strokeStyle = ink("var(--hairline)");
  surface.beginPath();
  segment(surface, left, crisp(top + height, ratio), left + width, crisp(top + height, ratio));
  surface.stroke();
  surface.textAlign = "center";
  surface.textBaseline = "top";
  down.forEach((x, index) => {
    const half = surface.measureText(downLabels[index]!).width / 2;
    if (x + half <= fullWidth - 2 && x - half >= 2) surface.fillText(downLabels[index]!, x, top + height + 6);
  });
  surface.textAlign = view.isValueHorizontal ? "left" : "right";
  surface.textBaseline = "middle";
  across.forEach((y, index) => surface.fillText(bottomLabels[index]!, view.isValueHorizontal ? left + width + 8 : left - 6, y));
}

function paintOutlines(surface: Surface, view: HistogramLayout, { shade }: Look): void {
  const last = view.positions.length - 1;
  for (let row = 0; row <= last; row++) {
    const share = LINE_FROM + (LINE_TO - LINE_FROM) * (last === 0 ? 1 : row / last);
    outline(surface, view, row);
    if (view.shape === "ridge") {
      surface.fillStyle = shade(share, 0.92);
      surface.fill();
      surface.strokeStyle = shade(share + EDGE);
      surface.lineWidth = 1;
    } else {
      surface.strokeStyle = shade(share, row === last ? 1 : 0.75);
      surface.lineWidth = row === last ? 2 : 1;
    }
    surface.stroke();
  }
}

function paintHeat(surface: Surface, view: HistogramLayout, look: Look): void {
  const { top, height } = view.area;
  view.spread.forEach((counts, row) => {
    const [from, to] = view.columnOf(row).map(Math.round) as [number, number];
    for (let pixel = 0; pixel < counts.length;) {
      const start = pixel;
      while (pixel < counts.length && isAlike(counts[pixel]!, counts[start]!)) pixel++;
      if (!(counts[start]! > 0)) continue;
      surface.fillStyle = look.shade(view.shadeAt(row, start));
      surface.fillRect(from, top + height - pixel, Math.max(1, to - from), pixel - start);
    }
  });
  paintLines(surface, view, look);
}

/** The median and the band of 68 % as lines with an outline in the background color. */
function paintLines(surface: Surface, view: HistogramLayout, { ink }: Look): void {
  const { rows, bands } = filledRows(view);
  for (const band of LINES_OF_HEAT) {
    const isMedian = BAND_SHARES[band] === 0.5;
    const heights = rows.map((row, index) => ({ row, y: view.valueAt(bands[index]![band]!) })).filter(({ y }) => y === inside(view, y));
    surface.beginPath();
    heights.forEach(({ row, y }, index) => {
      const [from, to] = view.columnOf(row);
      if (heights[index - 1]?.row !== row - 1) surface.moveTo(from, y);
      surface.lineTo((from + to) / 2, y);
      if (heights[index + 1]?.row !== row + 1) surface.lineTo(to, y);
    });
    surface.strokeStyle = ink("var(--paper)");
    surface.lineWidth = isMedian ? 3.5 : 2.5;
    surface.stroke();
    surface.strokeStyle = ink("var(--ink)");
    surface.lineWidth = isMedian ? 1.5 : 0.75;
    surface.stroke();
  }
}

function paintBands(surface: Surface, view: HistogramLayout, { tint }: Look): void {
  const { rows, bands } = filledRows(view);
  const xs = rows.map((row) => view.stepAt(view.positions[row]!));
  if (rows.length === 1) xs.push(xs[0]! + 1);
  const y = (index: number, band: number): number => inside(view, view.valueAt(bands[Math.min(index, bands.length - 1)]![band]!));
  const middle = BAND_SHARES.length >> 1;
  for (let band = 0; band < middle; band++) {
    surface.beginPath();
    xs.forEach((x, index) => surface.lineTo(x, y(index, band)));
    for (let index = xs.length - 1; index >= 0; index--) surface.lineTo(xs[index]!, y(index, BAND_SHARES.length - 1 - band));
    surface.fillStyle = tint(BAND_ALPHAS[band]);
    surface.fill();
  }
  surface.beginPath();
  xs.forEach((x, index) => surface.lineTo(x, y(index, middle)));
  surface.strokeStyle = tint();
  surface.lineWidth = 1.5;
  surface.stroke();
}

/** Steps with values that are not finite are marked on the edge. */
function paintOdd(surface: Surface, view: HistogramLayout, { ink }: Look): void {
  const { nan, positive_infinity, negative_infinity } = view.histograms;
  const { left, top, width, height } = view.area;
  surface.fillStyle = ink("var(--warn)");
  view.positions.forEach((position, row) => {
    if (nan[row]! + positive_infinity[row]! + negative_infinity[row]! === 0) return;
    const at = view.stepAt(position);
    const [x, y] = view.isValueHorizontal ? [left + width, at] : [at, top + height];
    surface.beginPath();
    surface.arc(x, y, ODD_MARK, 0, 2 * Math.PI);
    surface.fill();
  });
}

/** The outline of a row where it holds something: a line along nothing would be noise. */
export function outline(surface: Surface, view: HistogramLayout, row: number): void {
  const base = view.stepAt(view.positions[row]!);
  const counts = view.spread[row]!;
  const { left } = view.area;
  let height = 0;
  surface.beginPath();
  for (let pixel = 0; pixel <= counts.length; pixel++) {
    const next = (counts[pixel] ?? 0) > 0 ? view.heightAt(row, pixel) : 0;
    if (Math.abs(next - height) < FLAT && next > 0 === height > 0) continue;
    if (height > 0) surface.lineTo(left + pixel, base - height);
    else surface.moveTo(left + pixel, base);
    surface.lineTo(left + pixel, base - next);
    height = next;
  }
}

function filledRows(view: HistogramLayout): { rows: number[]; bands: number[][] } {
  const rows = [...view.positions.keys()].filter((row) => !view.isEmpty(row));
  return { rows, bands: rows.map((row) => view.bands(row)) };
}

/** A pixel along the values, not outside of the area when only some values are shown. */
function inside(view: HistogramLayout, pixel: number): number {
  const { top, height } = view.area;
  return Math.min(top + height, Math.max(top, pixel));
}

/** Pixels inside of one bucket hold the same count up to rounding: one rectangle for all of them. */
function isAlike(one: number, other: number): boolean {
  return Math.abs(one - other) <= 1e-6 * other;
}
