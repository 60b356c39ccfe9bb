// SPDX-License-Identifier: Apache-2.0
import uPlot from "uplot";

import type { Axis } from "../core/axis";
import { hitsByNearness, type Hit } from "../core/nearest";
import type { Box } from "../core/zoom";
import { plotAxes, RIGHT_PADDING } from "./axes";
import { heightWithin, wholeBox, type Curve } from "../core/curve";
import { Inks, watchTheme } from "./inks";
import { Layer } from "./layer";
import { paintCurves, paintEmphasised, projectionOf, type Painting } from "./paint";

export interface CurvePlotOptions {
  axis: Axis;
  isLog: boolean;
  onzoom: (box: Box) => void;
  onrestore: () => void;
  onhover: (hover: Hover | null) => void;
}

/** Where the cursor is and which rows are near, nearest curve first. */
export interface Hover {
  hits: Hit[];
  /** Position of the cursor on the horizontal axis. */
  x: number;
  clientX: number;
  clientY: number;
}

const EMPTY: uPlot.AlignedData = [[0, 1], [null, null]];

/**
 * Curves with their own x each. uPlot gives scales, axes, cursor and selection; the lines are painted here, because
 * its aligned table would grow with runs times points.
 */
export class CurvePlot {
  readonly plot: uPlot;
  readonly inks: Inks;
  readonly #options: CurvePlotOptions;
  readonly #unwatch: () => void;
  #curves: readonly Curve[] = [];
  #box: Box = { x: [0, 1], y: [0, 1] };
  readonly #layer: Layer | undefined;
  readonly #front: Layer | undefined;
  #emphasised: string | null = null;

  constructor(host: HTMLElement, size: { width: number; height: number }, options: CurvePlotOptions) {
    this.#options = options;
    this.inks = new Inks(host);
    this.#box = wholeBox([], options.isLog);
    this.plot = new uPlot(this.#plotOptions(size), EMPTY, host);
    this.#layer = new Layer(this.plot);
    this.#front = new Layer(this.plot);
    this.#unwatch = watchTheme(() => {
      this.inks.forget();
      this.plot.redraw(false, true);
    });
  }

  get curves(): readonly Curve[] {
    return this.#curves;
  }

  show(curves: readonly Curve[], zoom: Box | null): void {
    this.#curves = curves;
    this.#box = zoom ?? wholeBox(curves, this.#options.isLog);
    this.plot.batch(() => {
      this.plot.setScale("x", { min: this.#box.x[0], max: this.#box.x[1] });
      this.plot.setScale("y", { min: this.#box.y[0], max: this.#box.y[1] });
      this.plot.redraw(false, true);
    });
    if ((this.plot.cursor.left ?? -1) >= 0) this.#hover();
  }

  resize(size: { width: number; height: number }): void {
    if (size.width !== this.plot.width || size.height !== this.plot.height) this.plot.setSize(size);
  }

  emphasise(key: string | null): void {
    if (key === this.#emphasised) return;
    this.#emphasised = key;
    this.#paintFront();
  }

  /** Canvases from back to front, completely painted. */
  canvases(): HTMLCanvasElement[] {
    this.#layer?.finish();
    return [this.plot.ctx.canvas, ...(this.#layer ? [this.#layer.canvas] : [])];
  }

  /** Moves the cursor onto a row, as the pointer would. */
  pointAt(curve: Curve, row: number): void {
    const values = curve.smoothed ?? curve.raw;
    const top = this.plot.valToPos(values[row]!, "y");
    this.plot.setCursor({
      left: this.plot.valToPos(curve.x[row]!, "x"),
      top: Number.isFinite(top) ? top : this.plot.over.clientHeight / 2,
    });
  }

  /** Distance from the left edge of the plotting area; null when the position is not in sight. */
  leftOf(x: number): number | null {
    const left = this.plot.valToPos(x, "x");
    return left >= 0 && left <= this.plot.over.clientWidth ? left : null;
  }

  hideCursor(): void {
    this.plot.setCursor({ left: -10, top: -10 });
  }

  destroy(): void {
    this.#unwatch();
    this.#layer?.destroy();
    this.#front?.destroy();
    this.inks.remove();
    this.plot.destroy();
  }

  #plotOptions(size: { width: number; height: number }): uPlot.Options {
    const { axis, isLog } = this.#options;
    return {
      ...size,
      padding: [8, RIGHT_PADDING, 0, 0],
      legend: { show: false },
      scales: {
        x: { time: false, range: () => [...this.#box.x] },
        y: { distr: isLog ? 3 : 1, range: () => [...this.#box.y] },
      },
      axes: plotAxes(axis, isLog, (token) => this.inks.resolve(token)),
      series: [{}, { show: false }],
      cursor: {
        x: true,
        y: false,
        points: { show: false },
        drag: { x: true, y: true, uni: 16, setScale: false, dist: 4 },
        bind: { dblclick: () => () => (this.#options.onrestore(), null) },
      },
      hooks: {
        draw: [() => this.#paint()],
        setCursor: [() => this.#hover()],
        setSelect: [() => this.#select()],
      },
    };
  }

  /** uPlot has drawn the axes; it does so once before the layers exist. */
  #paint(): void {
    this.#layer?.paint((ctx) => paintCurves(this.#painting(ctx), this.#curves));
    this.#paintFront();
  }

  #paintFront(): void {
    const curve = this.#curves.find(({ key }) => key === this.#emphasised);
    if (curve) this.#front?.paint((ctx) => paintEmphasised(this.#painting(ctx), curve));
    else this.#front?.clear();
  }

  #painting(ctx: CanvasRenderingContext2D): Painting {
    return { plot: this.plot, ctx, isLog: this.#options.isLog, ink: (colour) => this.inks.resolve(colour) };
  }

  #hover(): void {
    const { left = -1, top = -1 } = this.plot.cursor;
    if (left < 0 || this.#curves.length === 0) {
      this.#options.onhover(null);
      return;
    }
    const projection = projectionOf(this.plot, devicePixelRatio);
    const inset = { x: this.plot.bbox.left / devicePixelRatio, y: this.plot.bbox.top / devicePixelRatio };
    const hits = hitsByNearness(
      this.#curves.map((curve) => ({ x: curve.x, y: curve.smoothed ?? curve.raw, ascending: curve.isAscending })),
      { x: this.plot.posToVal(left, "x"), pixelX: left, pixelY: top },
      (x) => projection.x(x) - inset.x,
      (y) => projection.y(y) - inset.y,
    );
    const over = this.plot.over.getBoundingClientRect();
    this.#options.onhover({ hits, x: this.plot.posToVal(left, "x"), clientX: over.left + left, clientY: over.top + top });
  }

  #select(): void {
    const { left, top, width, height } = this.plot.select;
    if (width === 0 && height === 0) return;
    this.plot.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
    const at = (pixel: number, scale: string): number => this.plot.posToVal(pixel, scale);
    const isWide = width >= this.plot.over.clientWidth - 1;
    const isTall = height >= this.plot.over.clientHeight - 1;
    const x: [number, number] = isWide ? [...this.#box.x] : [at(left, "x"), at(left + width, "x")];
    const y = isTall ? heightWithin(this.#curves, x, this.#options.isLog) : ([at(top + height, "y"), at(top, "y")] as const);
    this.#options.onzoom({ x, y });
  }
}
