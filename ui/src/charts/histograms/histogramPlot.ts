// SPDX-License-Identifier: Apache-2.0
import type { Axis, Range } from "../../core/scales/axis";
import { colorAt, hexToRgb, MAP, rgbText } from "../../core/scales/colorMap";
import type { Histograms } from "../../core/series/histograms";
import { HistogramLayout, type Area, type ChartShape, type Place, type Point } from "../../core/series/histogramLayout";
import { LEGEND_HEIGHT, paintLegend } from "./histogramLegend";
import { outline, paintHistograms, type Look } from "./paintHistograms";
import { ThemeColors, watchTheme } from "../frame/themeColors";
import type { Picture } from "../frame/picture";
import type { Ink, Surface } from "../frame/surface";

export interface Drawing {
  histograms: Histograms;
  shape: ChartShape;
  axis: Axis;
  /** Values that are shown, null for all. */
  values: Range | null;
  /** A CSS color, tokens allowed: that of the run. */
  color: string;
  /** What the colors of a heat map count, in words. */
  unit: string;
}

const BOTTOM = 22;
const VALUE_LABELS = 52;
const STEP_LABELS = 54;

/** Histograms over steps on a canvas, and what the pointer is on, on a second one above. */
export class HistogramPlot {
  readonly canvas: HTMLCanvasElement;
  readonly #front: HTMLCanvasElement;
  readonly #themeColors: ThemeColors;
  readonly #unwatch: () => void;
  #drawing: Drawing | null = null;
  #view: HistogramLayout | null = null;
  #place: Place | null = null;
  #dragged: Area | null = null;
  #size = { width: 0, height: 0 };

  constructor(host: HTMLElement) {
    this.canvas = layer(host);
    this.#front = layer(host);
    this.#themeColors = new ThemeColors(host);
    this.#unwatch = watchTheme(() => {
      this.#themeColors.forget();
      this.#paint();
    });
  }

  get view(): HistogramLayout | null {
    return this.#view;
  }

  get size(): { width: number; height: number } {
    return this.#size;
  }

  show(drawing: Drawing | null, size: { width: number; height: number }): void {
    this.#drawing = drawing;
    this.#size = size;
    this.#view =
      drawing && size.width > 0
        ? new HistogramLayout(drawing.histograms, drawing.shape, drawing.axis, areaOf(drawing.shape, size), drawing.values)
        : null;
    this.#paint();
  }

  point(place: Place | null): void {
    this.#place = place;
    this.#paintFront();
  }

  /** Shows what a drag chooses; null when it is over. */
  drag(area: Area | null): void {
    this.#dragged = area;
    this.#paintFront();
  }

  /** Center of a bucket, in pixels of the plot. */
  centerOf(place: Place): Point {
    const view = this.#view!;
    const { left, right } = view.histograms;
    const along = place.bucket < 0 ? view.valueAt(view.valueRange[0]) : view.valueAt((left[place.bucket]! + right[place.bucket]!) / 2);
    const across = view.stepAt(view.positions[place.row]!);
    return view.isValueHorizontal ? { x: along, y: across } : { x: across, y: along };
  }

  picture(title: string): Picture {
    return { title, size: this.#size, paint: (surface, ratio, ink) => this.#draw(surface, ratio, ink) };
  }

  destroy(): void {
    this.#unwatch();
    this.#themeColors.remove();
    this.canvas.remove();
    this.#front.remove();
  }

  #paint(): void {
    this.#draw(cleared(this.canvas, this.#size), devicePixelRatio, (token) => this.#themeColors.resolve(token));
    this.#paintFront();
  }

  #draw(surface: Surface, ratio: number, ink: Ink): void {
    const [view, drawing] = [this.#view, this.#drawing];
    if (!view || !drawing || view.positions.length === 0) return;
    const stops = MAP.map((color) => hexToRgb(this.#themeColors.hex(color)));
    const color = hexToRgb(this.#themeColors.hex(drawing.color));
    const look: Look = {
      axis: drawing.axis,
      tint: (alpha) => rgbText(color, alpha),
      shade: (share, alpha) => rgbText(colorAt(stops, share), alpha),
      ink,
      unit: drawing.unit,
      ratio,
    };
    paintHistograms(surface, view, look, this.#size.width);
    paintLegend(surface, view, look);
  }

  #paintFront(): void {
    const ctx = cleared(this.#front, this.#size);
    const [view, place] = [this.#view, this.#place];
    if (!view) return;
    if (this.#dragged) this.#paintDrag(ctx, this.#dragged);
    if (!place || place.row >= view.positions.length) return;
    ctx.strokeStyle = this.#themeColors.resolve("var(--ink)");
    ctx.lineWidth = 1.5;
    if (view.isValueHorizontal) {
      outline(ctx, view, place.row);
      ctx.stroke();
    }
    if (place.bucket >= 0 && place.bucket < view.histograms.left.length) this.#paintBucket(ctx, view, place);
  }

  #paintDrag(ctx: CanvasRenderingContext2D, { left, top, width, height }: Area): void {
    ctx.globalAlpha = 0.16;
    ctx.fillStyle = this.#themeColors.resolve("var(--accent)");
    ctx.fillRect(left, top, width, height);
    ctx.globalAlpha = 1;
    ctx.strokeStyle = this.#themeColors.resolve("var(--accent)");
    ctx.lineWidth = 1;
    ctx.strokeRect(left + 0.5, top + 0.5, width - 1, height - 1);
  }

  #paintBucket(ctx: CanvasRenderingContext2D, view: HistogramLayout, { row, bucket }: Place): void {
    const { left, right } = view.histograms;
    const [from, to] = [view.valueAt(left[bucket]!), view.valueAt(right[bucket]!)].sort((one, other) => one - other) as [number, number];
    const size = Math.max(2, to - from);
    if (view.isValueHorizontal) {
      const base = view.stepAt(view.positions[row]!);
      const height = Math.max(2, view.heightAt(row, Math.floor((from + to) / 2 - view.area.left)));
      ctx.fillStyle = this.#themeColors.resolve("var(--accent)");
      ctx.fillRect(from, base - height, size, height);
      return;
    }
    const [start, end] = view.columnOf(row);
    ctx.strokeRect(start, from, Math.max(2, end - start), size);
  }
}

export function areaOf(shape: ChartShape, { width, height }: { width: number; height: number }): Area {
  const isHorizontal = shape === "ridge" || shape === "front";
  const left = isHorizontal ? 12 : VALUE_LABELS;
  const right = shape === "ridge" ? STEP_LABELS : 14;
  return { left, top: LEGEND_HEIGHT, width: Math.max(10, width - left - right), height: Math.max(10, height - LEGEND_HEIGHT - BOTTOM) };
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
