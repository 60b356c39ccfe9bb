// SPDX-License-Identifier: Apache-2.0
import type { Range } from "../core/axis";
import { heightWithin, rangesOf, wholeRanges, type Curve, type Ranges, type Scaling } from "../core/curve";
import type { Area, Point } from "../core/histogramView";
import { hitsByNearness, type Hit } from "../core/nearest";
import type { Box } from "../core/zoom";
import { TICK_FONT, type Across, type PlaceAxis, type Upright } from "./axes";
import { paintAxes } from "./axesPaint";
import { Inks, watchLook } from "./inks";
import { Layer } from "./layer";
import type { Guide } from "./marksPaint";
import { paintCurves, paintEmphasised, type Painting } from "./paint";
import { plotFrame, type PlotFrame, type Size } from "./plotFrame";
import { PlotPointer } from "./plotPointer";

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

/** Curves with their own x each, on one canvas; a second one exists while a curve is brought to the front. */
export class CurvePlot {
  readonly inks: Inks;
  readonly #options: CurvePlotOptions;
  readonly #pointer: PlotPointer;
  readonly #back: Layer;
  readonly #front: Layer;
  readonly #unwatch: () => void;
  #size: Size;
  #curves: readonly Curve[] = [];
  #guides: readonly Guide[] = [];
  #ranges: Ranges;
  #frame: PlotFrame;
  #isZoomed = false;
  #emphasised: string | null = null;

  constructor(host: HTMLElement, size: Size, options: CurvePlotOptions) {
    this.#options = options;
    this.#size = size;
    this.inks = new Inks(host);
    this.#ranges = wholeRanges([], options.scaling);
    this.#pointer = new PlotPointer(host, {
      onpoint: () => this.#hover(),
      onselect: (box) => this.#select(box),
      ondoubleclick: () => options.onrestore(),
    });
    this.#back = new Layer(this.#pointer.area);
    this.#front = new Layer(this.#pointer.area);
    this.#frame = this.#laidOut();
    this.#unwatch = watchLook(() => {
      this.inks.forget();
      this.#paint();
    });
  }

  get curves(): readonly Curve[] {
    return this.#curves;
  }

  get guides(): readonly Guide[] {
    return this.#guides;
  }

  get frame(): PlotFrame {
    return this.#frame;
  }

  get scaling(): Scaling {
    return this.#options.scaling;
  }

  /** The plotting area, for what is laid over it. */
  get area(): HTMLElement {
    return this.#pointer.area;
  }

  show(curves: readonly Curve[], zoom: Box | null, guides: readonly Guide[] = []): void {
    this.#curves = curves;
    this.#guides = guides;
    this.#isZoomed = zoom !== null;
    const { scaling } = this.#options;
    const whole = wholeRanges(curves, scaling, guides.map(({ value }) => value));
    this.#ranges = zoom ? rangesOf(zoom, whole, scaling.isLog) : whole;
    this.#lay();
  }

  resize(size: Size): void {
    if (size.width === this.#size.width && size.height === this.#size.height) return;
    this.#size = size;
    this.#lay();
  }

  /** Brings the curve with this key to the front, or all that are labelled so. */
  emphasise(key: string | null): void {
    if (key === this.#emphasised) return;
    this.#emphasised = key;
    this.#paintFront();
  }

  /** What is shown, completely painted; null for a chart without curves. */
  picture(): HTMLCanvasElement | null {
    this.#back.finish();
    return this.#back.canvas;
  }

  /** Moves the cursor onto a row, as the pointer would. */
  pointAt(curve: Curve, row: number): void {
    const { height } = this.#frame.area;
    const { x, y } = this.placeOf(curve, row);
    this.#pointer.moveTo({ x, y: Number.isFinite(y) ? y : height / 2 });
  }

  /** Where a row is drawn, in pixels of the plotting area; NaN where it has no place. */
  placeOf(curve: Curve, row: number): Point {
    const { area, projections } = this.#frame;
    const { x, y } = projections[curve.scale] ?? projections[0]!;
    return { x: x(curve.x[row]!) - area.left, y: y((curve.smoothed ?? curve.raw)[row]!) - area.top };
  }

  /** Distance from the left edge of the plotting area; null when the position is not in sight. */
  leftOf(x: number): number | null {
    const { area, projections } = this.#frame;
    const left = projections[0]!.x(x) - area.left;
    return left >= 0 && left <= area.width ? left : null;
  }

  hideCursor(): void {
    this.#pointer.moveTo(null);
  }

  destroy(): void {
    this.#unwatch();
    this.#back.clear();
    this.#front.clear();
    this.inks.remove();
    this.#pointer.remove();
  }

  #lay(): void {
    this.#frame = this.#laidOut();
    this.#paint();
    if (this.#pointer.point) this.#hover();
  }

  #laidOut(): PlotFrame {
    const { axis, scaling, uprights } = this.#options;
    const across: Across = { axis, isLog: scaling.isLogX };
    const frame = plotFrame(this.#size, this.#ranges, across, uprights.map((upright) => ({ ...upright, isLog: scaling.isLog })), labelWidth);
    this.#pointer.place(frame.area);
    return frame;
  }

  #paint(): void {
    if (this.#curves.length === 0) this.#back.clear();
    else {
      const [curves, guides] = [this.#curves, this.#guides];
      this.#back.paint(this.#size, (ctx) => paintChart(this.#painting(ctx), curves, guides));
    }
    this.#paintFront();
  }

  #paintFront(): void {
    const near = this.#curves.filter(({ key, label }) => key === this.#emphasised || label === this.#emphasised);
    if (near.length > 0) this.#front.paint(this.#size, (ctx) => paintEmphasised(this.#painting(ctx), near));
    else this.#front.clear();
  }

  #painting(ctx: CanvasRenderingContext2D): Painting {
    const { isLog, isLogX, ignoresOutliers } = this.#options.scaling;
    return { ctx, frame: this.#frame, isLog, isLogX, marksFar: ignoresOutliers && !this.#isZoomed, ink: (colour) => this.inks.resolve(colour) };
  }

  #hover(): void {
    const { point } = this.#pointer;
    if (!point || this.#curves.length === 0) {
      this.#options.onhover(null);
      return;
    }
    const { area, projections, xAt } = this.#frame;
    const x = xAt(point.x + area.left);
    const hits = hitsByNearness(
      this.#curves.map((curve) => ({ x: curve.x, y: curve.smoothed ?? curve.raw, ascending: curve.isAscending, scale: curve.scale })),
      { x, pixelX: point.x, pixelY: point.y },
      (place) => projections[0]!.x(place) - area.left,
      (value, scale) => (projections[scale] ?? projections[0]!).y(value) - area.top,
    );
    const { left, top } = this.#pointer.area.getBoundingClientRect();
    this.#options.onhover({ hits, x, clientX: left + point.x, clientY: top + point.y });
  }

  /** A box as wide or as high as the area leaves that range as it is, or fits it to what the box holds. */
  #select({ left, top, width, height }: Area): void {
    const { area, ranges, xAt, yAt } = this.#frame;
    const x: Range = width >= area.width - 1 ? ranges.x : [xAt(area.left + left), xAt(area.left + left + width)];
    const isTall = height >= area.height - 1;
    const y = isTall ? heightWithin(this.#curves, x, this.#options.scaling.isLog) : ([yAt(area.top + top + height), yAt(area.top + top)] as const);
    this.#options.onzoom({ x, y });
  }
}

function* paintChart(painting: Painting, curves: readonly Curve[], guides: readonly Guide[]): Generator<void> {
  paintAxes(painting.ctx, painting.frame, painting.ink);
  yield;
  yield* paintCurves(painting, curves, guides);
}

let ruler: CanvasRenderingContext2D | null = null;

function labelWidth(label: string): number {
  ruler ??= document.createElement("canvas").getContext("2d")!;
  ruler.font = TICK_FONT;
  return ruler.measureText(label).width;
}
