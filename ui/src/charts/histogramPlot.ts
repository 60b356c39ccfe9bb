// SPDX-License-Identifier: Apache-2.0
import type { Axis } from "../core/axis";
import { colourAt, hexToRgb, rgbText, type Rgb } from "../core/colourMap";
import { formatTicks } from "../core/format";
import type { Histograms, Shape } from "../core/histograms";
import { BAND_SHARES, HistogramView, type Area, type Place } from "../core/histogramView";
import { linearTicks } from "../core/ticks";
import { TICK_FONT, xLabels, xTicks } from "./axes";
import { Inks, watchTheme } from "./inks";

export interface Drawing {
  histograms: Histograms;
  shape: Shape;
  axis: Axis;
  /** A CSS colour, tokens allowed: that of the run. */
  colour: string;
}

const MAP = ["--map-0", "--map-1", "--map-2", "--map-3", "--map-4", "--map-5"];
const BOTTOM = 22;
const TOP = 6;
const VALUE_LABELS = 52;
const STEP_LABELS = 54;
const BAND_ALPHAS = [0.14, 0.22, 0.32, 0.44];
const ODD_MARK = 3;
/** Part of the colour map for lines: its faint end is for areas. */
const LINE_FROM = 0.22;
const LINE_TO = 0.85;
/** How much stronger than its area an edge is. */
const EDGE = 0.16;

/** Distributions over steps on a canvas, and what the pointer is on, on a second one above. */
export class HistogramPlot {
  readonly canvas: HTMLCanvasElement;
  readonly #front: HTMLCanvasElement;
  readonly #inks: Inks;
  readonly #unwatch: () => void;
  #drawing: Drawing | null = null;
  #view: HistogramView | null = null;
  #place: Place | null = null;
  #size = { width: 0, height: 0 };

  constructor(host: HTMLElement) {
    this.canvas = layer(host);
    this.#front = layer(host);
    this.#inks = new Inks(host);
    this.#unwatch = watchTheme(() => {
      this.#inks.forget();
      this.#paint();
    });
  }

  get view(): HistogramView | null {
    return this.#view;
  }

  show(drawing: Drawing | null, size: { width: number; height: number }): void {
    this.#drawing = drawing;
    this.#size = size;
    this.#view = drawing && size.width > 0 ? new HistogramView(drawing.histograms, drawing.shape, drawing.axis, areaOf(drawing.shape, size)) : null;
    this.#paint();
  }

  point(place: Place | null): void {
    this.#place = place;
    this.#paintFront();
  }

  /** Centre of a bucket, in pixels of the plot. */
  centreOf(place: Place): { x: number; y: number } {
    const view = this.#view!;
    const { left, right } = view.histograms;
    const along = place.bucket < 0 ? view.valueAt(view.valueRange[0]) : view.valueAt((left[place.bucket]! + right[place.bucket]!) / 2);
    const across = view.stepAt(view.positions[place.row]!);
    return view.isValueAcross ? { x: along, y: across } : { x: across, y: along };
  }

  /** The picture with its background. */
  async png(): Promise<Blob> {
    const copy = new OffscreenCanvas(this.canvas.width, this.canvas.height);
    const ctx = copy.getContext("2d")!;
    ctx.fillStyle = this.#inks.resolve("var(--paper)");
    ctx.fillRect(0, 0, copy.width, copy.height);
    ctx.drawImage(this.canvas, 0, 0);
    return copy.convertToBlob({ type: "image/png" });
  }

  destroy(): void {
    this.#unwatch();
    this.#inks.remove();
    this.canvas.remove();
    this.#front.remove();
  }

  #paint(): void {
    const ctx = cleared(this.canvas, this.#size);
    const view = this.#view;
    if (view && view.positions.length > 0) {
      this.#paintAxes(ctx, view);
      if (view.shape === "ridge" || view.shape === "front") this.#paintOutlines(ctx, view);
      else if (view.shape === "heat") this.#paintHeat(ctx, view);
      else this.#paintBands(ctx, view);
      this.#paintOdd(ctx, view);
    }
    this.#paintFront();
  }

  #paintAxes(ctx: CanvasRenderingContext2D, view: HistogramView): void {
    const { left, top, width, height } = view.area;
    const axis = this.#drawing!.axis;
    ctx.font = TICK_FONT;
    const values = linearTicks(view.valueRange, view.isValueAcross ? Math.max(3, width / 70) : Math.max(3, height / 30));
    const valueLabels = formatTicks(values);
    const length = view.isValueAcross ? (height - view.lane) * 2 : width;
    const steps = view.shape === "front" ? [] : xTicks({ axis, isLog: false }, view.stepRange, length);
    const stepLabels = xLabels({ axis, isLog: false }, steps);
    ctx.strokeStyle = this.#inks.resolve("var(--grid-line)");
    ctx.fillStyle = this.#inks.resolve("var(--ink-soft)");
    ctx.lineWidth = 1;
    const down = view.isValueAcross ? values.map((value) => view.valueAt(value)) : steps.map((step) => view.stepAt(step));
    const across = view.isValueAcross ? steps.map((step) => view.stepAt(step)) : values.map((value) => view.valueAt(value));
    const [downLabels, acrossLabels] = view.isValueAcross ? [valueLabels, stepLabels] : [stepLabels, valueLabels];
    ctx.beginPath();
    for (const x of down) segment(ctx, crisp(x), top, crisp(x), top + height);
    for (const y of across) segment(ctx, left, crisp(y), left + width, crisp(y));
    ctx.stroke();
    ctx.strokeStyle = this.#inks.resolve("var(--hairline)");
    ctx.beginPath();
    segment(ctx, left, crisp(top + height), left + width, crisp(top + height));
    ctx.stroke();
    ctx.textAlign = "center";
    ctx.textBaseline = "top";
    down.forEach((x, index) => {
      const half = ctx.measureText(downLabels[index]!).width / 2;
      if (x + half <= this.#size.width - 2 && x - half >= 2) ctx.fillText(downLabels[index]!, x, top + height + 6);
    });
    ctx.textAlign = view.isValueAcross ? "left" : "right";
    ctx.textBaseline = "middle";
    across.forEach((y, index) => ctx.fillText(acrossLabels[index]!, view.isValueAcross ? left + width + 8 : left - 6, y));
  }

  #paintOutlines(ctx: CanvasRenderingContext2D, view: HistogramView): void {
    const stops = this.#stops();
    const last = view.positions.length - 1;
    for (let row = 0; row <= last; row++) {
      const share = LINE_FROM + (LINE_TO - LINE_FROM) * (last === 0 ? 1 : row / last);
      const colour = colourAt(stops, share);
      outline(ctx, view, row);
      if (view.shape === "ridge") {
        ctx.fillStyle = rgbText(colour, 0.92);
        ctx.fill();
        ctx.strokeStyle = rgbText(colourAt(stops, share + EDGE));
        ctx.lineWidth = 1;
      } else {
        ctx.strokeStyle = rgbText(colour, row === last ? 1 : 0.75);
        ctx.lineWidth = row === last ? 2 : 1;
      }
      ctx.stroke();
    }
  }

  #paintHeat(ctx: CanvasRenderingContext2D, view: HistogramView): void {
    const stops = this.#stops();
    const { top, height } = view.area;
    view.spread.forEach((counts, row) => {
      const [from, to] = view.columnOf(row).map(Math.round) as [number, number];
      for (let pixel = 0; pixel < counts.length; ) {
        const start = pixel;
        while (pixel < counts.length && isAlike(counts[pixel]!, counts[start]!)) pixel++;
        if (!(counts[start]! > 0)) continue;
        ctx.fillStyle = rgbText(colourAt(stops, view.shadeAt(row, start)));
        ctx.fillRect(from, top + height - pixel, Math.max(1, to - from), pixel - start);
      }
    });
  }

  #paintBands(ctx: CanvasRenderingContext2D, view: HistogramView): void {
    const rows = [...view.positions.keys()].filter((row) => !view.isEmpty(row));
    const bands = rows.map((row) => view.bands(row));
    const xs = rows.map((row) => view.stepAt(view.positions[row]!));
    if (rows.length === 1) xs.push(xs[0]! + 1);
    const of = (index: number): number[] => bands[Math.min(index, bands.length - 1)]!;
    const colour = hexToRgb(this.#inks.hex(this.#drawing!.colour));
    const middle = BAND_SHARES.length >> 1;
    for (let band = 0; band < middle; band++) {
      ctx.beginPath();
      xs.forEach((x, index) => ctx.lineTo(x, view.valueAt(of(index)[band]!)));
      for (let index = xs.length - 1; index >= 0; index--) ctx.lineTo(xs[index]!, view.valueAt(of(index)[BAND_SHARES.length - 1 - band]!));
      ctx.fillStyle = rgbText(colour, BAND_ALPHAS[band]);
      ctx.fill();
    }
    ctx.beginPath();
    xs.forEach((x, index) => ctx.lineTo(x, view.valueAt(of(index)[middle]!)));
    ctx.strokeStyle = rgbText(colour);
    ctx.lineWidth = 1.5;
    ctx.stroke();
  }

  /** Steps with values that are not finite are marked on the edge. */
  #paintOdd(ctx: CanvasRenderingContext2D, view: HistogramView): void {
    const { nan, positiveInfinity, negativeInfinity } = view.histograms;
    const { left, top, width, height } = view.area;
    ctx.fillStyle = this.#inks.resolve("var(--warn)");
    view.positions.forEach((position, row) => {
      if (nan[row]! + positiveInfinity[row]! + negativeInfinity[row]! === 0) return;
      const at = view.stepAt(position);
      const [x, y] = view.isValueAcross ? [left + width, at] : [at, top + height];
      ctx.beginPath();
      ctx.arc(x, y, ODD_MARK, 0, 2 * Math.PI);
      ctx.fill();
    });
  }

  #paintFront(): void {
    const ctx = cleared(this.#front, this.#size);
    const view = this.#view;
    const place = this.#place;
    if (!view || !place || place.row >= view.positions.length) return;
    ctx.strokeStyle = this.#inks.resolve("var(--ink)");
    ctx.lineWidth = 1.5;
    if (view.isValueAcross) {
      outline(ctx, view, place.row);
      ctx.stroke();
    }
    if (place.bucket >= 0 && place.bucket < view.histograms.left.length) this.#paintBucket(ctx, view, place);
  }

  #paintBucket(ctx: CanvasRenderingContext2D, view: HistogramView, { row, bucket }: Place): void {
    const { left, right } = view.histograms;
    const [from, to] = [view.valueAt(left[bucket]!), view.valueAt(right[bucket]!)].sort((one, other) => one - other) as [number, number];
    const size = Math.max(2, to - from);
    if (view.isValueAcross) {
      const base = view.stepAt(view.positions[row]!);
      const height = Math.max(2, view.heightAt(row, Math.floor((from + to) / 2 - view.area.left)));
      ctx.fillStyle = this.#inks.resolve("var(--accent)");
      ctx.fillRect(from, base - height, size, height);
      return;
    }
    const [start, end] = view.columnOf(row);
    ctx.strokeRect(start, from, Math.max(2, end - start), size);
  }

  #stops(): Rgb[] {
    return MAP.map((token) => hexToRgb(this.#inks.hex(`var(${token})`)));
  }
}

function areaOf(shape: Shape, { width, height }: { width: number; height: number }): Area {
  const isAcross = shape === "ridge" || shape === "front";
  const left = isAcross ? 12 : VALUE_LABELS;
  const right = shape === "ridge" ? STEP_LABELS : 14;
  return { left, top: TOP, width: Math.max(10, width - left - right), height: Math.max(10, height - TOP - BOTTOM) };
}

/** The outline of a row where it holds something: a line along nothing would be noise. */
function outline(ctx: CanvasRenderingContext2D, view: HistogramView, row: number): void {
  const base = view.stepAt(view.positions[row]!);
  const counts = view.spread[row]!;
  const { left } = view.area;
  let isOpen = false;
  ctx.beginPath();
  for (let pixel = 0; pixel <= counts.length; pixel++) {
    const isFilled = (counts[pixel] ?? 0) > 0;
    if (isFilled && !isOpen) ctx.moveTo(left + pixel, base);
    if (isFilled) {
      const y = base - view.heightAt(row, pixel);
      ctx.lineTo(left + pixel, y);
      ctx.lineTo(left + pixel + 1, y);
    } else if (isOpen) ctx.lineTo(left + pixel, base);
    isOpen = isFilled;
  }
}

/** Pixels inside of one bucket hold the same count but for rounding: one rectangle for all of them. */
function isAlike(one: number, other: number): boolean {
  return Math.abs(one - other) <= 1e-6 * other;
}

function layer(host: HTMLElement): HTMLCanvasElement {
  const canvas = document.createElement("canvas");
  canvas.style.position = "absolute";
  canvas.style.inset = "0";
  host.append(canvas);
  return canvas;
}

function cleared(canvas: HTMLCanvasElement, { width, height }: { width: number; height: number }): CanvasRenderingContext2D {
  const [wide, high] = [Math.round(width * devicePixelRatio), Math.round(height * devicePixelRatio)];
  if (canvas.width !== wide || canvas.height !== high) {
    canvas.width = wide;
    canvas.height = high;
    canvas.style.width = `${width}px`;
    canvas.style.height = `${height}px`;
  }
  const ctx = canvas.getContext("2d")!;
  ctx.setTransform(devicePixelRatio, 0, 0, devicePixelRatio, 0, 0);
  ctx.clearRect(0, 0, width, height);
  return ctx;
}

function segment(ctx: CanvasRenderingContext2D, fromX: number, fromY: number, toX: number, toY: number): void {
  ctx.moveTo(fromX, fromY);
  ctx.lineTo(toX, toY);
}

/** A line of one pixel stands between two pixel borders. */
function crisp(pixel: number): number {
  return Math.round(pixel) + 0.5;
}
