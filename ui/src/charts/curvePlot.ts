// SPDX-License-Identifier: Apache-2.0
import uPlot from "uplot";

import { hitsByNearness, type Hit } from "../core/nearest";
import type { Box } from "../core/zoom";
import { heightWithin, rangesOf, wholeRanges, type Curve, type Ranges, type Scaling } from "../core/curve";
import { plotAxes, RIGHT_PADDING, scaleName, type Across, type PlaceAxis, type Upright } from "./axes";
import { Inks, watchTheme } from "./inks";
import { Layer } from "./layer";
import { paintCurves, paintEmphasised, projectionOf, type Guide, type Painting } from "./paint";

export interface CurvePlotOptions {
  axis: PlaceAxis;
  scaling: Scaling;
  /** Each vertical axis, from the first; at least one. */
  uprights: readonly Omit<Upright, "isLog">[];
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

/** A table without values: uPlot asks for a column for each vertical axis. */
function emptyTable(columns: number): uPlot.AlignedData {
  return [[0, 1], ...Array.from({ length: columns }, () => [null, null])];
}

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
  #guides: readonly Guide[] = [];
  #ranges: Ranges;
  #isZoomed = false;
  readonly #layer: Layer | undefined;
  readonly #front: Layer | undefined;
  #emphasised: string | null = null;

  constructor(host: HTMLElement, size: { width: number; height: number }, options: CurvePlotOptions) {
    this.#options = options;
    this.inks = new Inks(host);
    this.#ranges = wholeRanges([], options.scaling);
    this.plot = new uPlot(this.#plotOptions(size), emptyTable(options.uprights.length), host);
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

  get across(): Across {
    return { axis: this.#options.axis, isLog: this.#options.scaling.isLogX };
  }

  get uprights(): readonly Upright[] {
    return this.#options.uprights.map((upright) => ({ ...upright, isLog: this.#options.scaling.isLog }));
  }

  get guides(): readonly Guide[] {
    return this.#guides;
  }

  show(curves: readonly Curve[], zoom: Box | null, guides: readonly Guide[] = []): void {
    this.#curves = curves;
    this.#guides = guides;
    this.#isZoomed = zoom !== null;
    const whole = wholeRanges(curves, this.#options.scaling, guides.map(({ value }) => value));
    this.#ranges = zoom ? rangesOf(zoom, whole, this.#options.scaling.isLog) : whole;
    this.plot.batch(() => {
      this.plot.setScale("x", { min: this.#ranges.x[0], max: this.#ranges.x[1] });
      this.#options.uprights.forEach((_, index) => {
        const [min, max] = this.#rangeOf(index);
        this.plot.setScale(scaleName(index), { min, max });
      });
      this.plot.redraw(false, true);
    });
    if ((this.plot.cursor.left ?? -1) >= 0) this.#hover();
  }

  resize(size: { width: number; height: number }): void {
    if (size.width !== this.plot.width || size.height !== this.plot.height) this.plot.setSize(size);
  }

  /** Brings the curve with this key to the front, or all that are labelled so. */
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
    const top = this.plot.valToPos(values[row]!, scaleName(curve.scale));
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

  #rangeOf(index: number): [number, number] {
    return [...(this.#ranges.ys[index] ?? this.#ranges.ys[0]!)];
  }

  #plotOptions(size: { width: number; height: number }): uPlot.Options {
    const { scaling } = this.#options;
    const uprights = this.uprights.map((_, index) => [
      scaleName(index),
      { distr: scaling.isLog ? 3 : 1, range: () => this.#rangeOf(index) } satisfies uPlot.Scale,
    ]);
    return {
      ...size,
      padding: [8, this.uprights.length > 1 ? 0 : RIGHT_PADDING, 0, 0],
      legend: { show: false },
      scales: {
        x: { time: false, distr: scaling.isLogX ? 3 : 1, range: () => [...this.#ranges.x] },
        ...(Object.fromEntries(uprights) as uPlot.Scales),
      },
      axes: plotAxes(this.across, this.uprights, (token) => this.inks.resolve(token)),
      series: [{}, ...this.uprights.map((_, index) => ({ show: false, scale: scaleName(index) }))],
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
    this.#layer?.paint((ctx) => paintCurves(this.#painting(ctx), this.#curves, this.#guides));
    this.#paintFront();
  }

  #paintFront(): void {
    const near = this.#curves.filter(({ key, label }) => key === this.#emphasised || label === this.#emphasised);
    if (near.length > 0) this.#front?.paint((ctx) => paintEmphasised(this.#painting(ctx), near));
    else this.#front?.clear();
  }

  #painting(ctx: CanvasRenderingContext2D): Painting {
    const { isLog, isLogX, ignoresOutliers } = this.#options.scaling;
    return { plot: this.plot, ctx, isLog, isLogX, marksFar: ignoresOutliers && !this.#isZoomed, ink: (colour) => this.inks.resolve(colour) };
  }

  #hover(): void {
    const { left = -1, top = -1 } = this.plot.cursor;
    if (left < 0 || this.#curves.length === 0) {
      this.#options.onhover(null);
      return;
    }
    const projections = this.uprights.map((_, scale) => projectionOf(this.plot, devicePixelRatio, scale));
    const inset = { x: this.plot.bbox.left / devicePixelRatio, y: this.plot.bbox.top / devicePixelRatio };
    const hits = hitsByNearness(
      this.#curves.map((curve) => ({ x: curve.x, y: curve.smoothed ?? curve.raw, ascending: curve.isAscending, scale: curve.scale })),
      { x: this.plot.posToVal(left, "x"), pixelX: left, pixelY: top },
      (x) => projections[0]!.x(x) - inset.x,
      (y, scale) => (projections[scale] ?? projections[0]!).y(y) - inset.y,
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
    const x: [number, number] = isWide ? [...this.#ranges.x] : [at(left, "x"), at(left + width, "x")];
    const y = isTall ? heightWithin(this.#curves, x, this.#options.scaling.isLog) : ([at(top + height, "y"), at(top, "y")] as const);
    this.#options.onzoom({ x, y });
  }
}
