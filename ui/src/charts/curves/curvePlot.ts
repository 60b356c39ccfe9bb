// SPDX-License-Identifier: Apache-2.0
import type { Range } from "../../core/scales/axis";
import { heightWithin, lineOf, rangesOf, wholeRanges, type Curve, type Ranges, type Scaling } from "../../core/series/curve";
import type { Area, Point } from "../../core/series/histogramLayout";
import type { Box } from "../../core/scales/zoom";
import type { XAxis, PlaceAxis, YAxis } from "../frame/axes";
import { MANY_CURVES } from "../../core/series/topCurves";
import { labelRoom } from "./paintEndLabels";
import { ThemeColors, watchLook } from "../frame/themeColors";
import { labelWidth } from "../frame/labelWidth";
import { CanvasLayer } from "../frame/canvasLayer";
import type { Guide } from "./paintMarks";
import { paintChart } from "./paintChart";
import { paintEmphasized } from "./paintCurves";
import type { Ink, Surface } from "../frame/surface";
import type { Painting } from "./painting";
import { plotFrame, projectionOf, type PlotFrame, type Size } from "../frame/plotFrame";
import { boxWithin, hoverAt, type Hover } from "./plotHover";
import { PlotPointer } from "../frame/plotPointer";

export type { Hover };

/** How a zoom box was chosen: whether it changes the x range, and whether it continues the previous zoom. */
export interface PlotZoom {
  isHorizontal: boolean;
  isContinued: boolean;
}

export interface CurvePlotOptions {
  axis: PlaceAxis;
  /** Below the horizontal axis; "" for none. */
  xTitle: string;
  scaling: Scaling;
  /** Each vertical axis, from the first; at least one. */
  yAxes: readonly Omit<YAxis, "isLog">[];
  onzoom: (box: Box, step: PlotZoom) => void;
  onrestore: () => void;
  onhover: (hover: Hover | null) => void;
  onpick: (hover: Hover) => void;
  /** The click that was picked began a double click, which means something else. */
  onunpick: () => void;
}

const GESTURE_MS = 600;

/** Curves with their own x each, on one canvas; a second one exists while a curve is brought to the front. */
export class CurvePlot {
  readonly themeColors: ThemeColors;
  readonly #options: CurvePlotOptions;
  readonly #pointer: PlotPointer;
  readonly #back: CanvasLayer;
  readonly #front: CanvasLayer;
  readonly #unwatch: () => void;
  readonly #ink: Ink = (color) => this.themeColors.resolve(color);
  #size: Size;
  #curves: readonly Curve[] = [];
  #guides: readonly Guide[] = [];
  #ranges: Ranges;
  #frame: PlotFrame;
  #isZoomed = false;
  #whole: Ranges;
  /** Time of the last wheel event: an event soon after continues its zoom. */
  #scaledAt = -Infinity;
  #emphasized: readonly string[] = [];

  constructor(host: HTMLElement, size: Size, options: CurvePlotOptions) {
    this.#options = options;
    this.#size = size;
    this.themeColors = new ThemeColors(host);
    this.#ranges = this.#whole = wholeRanges([], options.scaling);
    this.#pointer = new PlotPointer(host, {
      onpoint: () => this.#hover(),
      onselect: (box) => this.#select(box),
      onscale: (factor, left) => this.#scale(factor, left),
      onclick: () => this.#pick(),
      ondoubleclick: () => {
        options.onunpick();
        options.onrestore();
      },
    });
    this.#back = new CanvasLayer(this.#pointer.area);
    this.#front = new CanvasLayer(this.#pointer.area);
    this.#frame = this.#laidOut();
    this.#unwatch = watchLook(() => {
      this.themeColors.forget();
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

  /** Values that are far from the others are left out of the height, and marked on the edge. */
  get marksFar(): boolean {
    return this.#options.scaling.ignoresOutliers && !this.#isZoomed;
  }

  /** The plotting area, for what is laid over it. */
  get area(): HTMLElement {
    return this.#pointer.area;
  }

  /** `shared` are extents of values of other charts that have the same vertical axes. */
  show(curves: readonly Curve[], zoom: Box | null, guides: readonly Guide[] = [], shared: readonly (Range | null)[] = []): void {
    this.#curves = curves;
    this.#guides = guides;
    this.#isZoomed = zoom !== null;
    const { scaling } = this.#options;
    const whole = wholeRanges(
      curves,
      scaling,
      guides.map(({ value }) => value),
      shared,
    );
    if (zoom === null) this.#whole = whole;
    this.#ranges = zoom ? rangesOf(zoom, whole, scaling) : whole;
    this.#lay();
  }

  resize(size: Size): void {
    if (size.width === this.#size.width && size.height === this.#size.height) return;
    this.#size = size;
    this.#lay();
  }

  /** Brings the curves with these keys or labels to the front. */
  emphasize(names: readonly string[]): void {
    if (names.join("\n") === this.#emphasized.join("\n")) return;
    this.#emphasized = names;
    this.#paintFront();
  }

  /** Paints what is shown, as on the screen; `ratio` is the pixels of the surface for a CSS pixel. */
  paint(surface: Surface, ratio: number, ink: Ink, frame = this.#frame): Generator<void> {
    return paintChart({ ...this.#painting(surface, ratio, ink), frame }, { curves: this.#curves, guides: this.#guides });
  }

  /** What is shown, with room for the titles of its axes; for a picture on its own. */
  titledFrame(xTitle: string, yTitle: string): PlotFrame {
    const [first, ...others] = this.#options.yAxes;
    return this.#framed(xTitle, [{ ...first!, title: others.length > 0 ? first!.title : yTitle, isTitled: true }, ...others]);
  }

  /** Moves the cursor onto a row, as the pointer would. */
  pointAt(curve: Curve, row: number): void {
    const { height } = this.#frame.area;
    const { x, y } = this.placeOf(curve, row);
    this.#pointer.moveTo({ x, y: Number.isFinite(y) ? y : height / 2 });
  }

  /** Where a row is drawn, in pixels of the plotting area; NaN where it has no place. */
  placeOf(curve: Curve, row: number): Point {
    const { area } = this.#frame;
    const { x, y } = projectionOf(this.#frame, curve);
    return { x: x(curve.x[row]!) - area.left, y: y(lineOf(curve)[row]!) - area.top };
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
    this.themeColors.remove();
    this.#pointer.remove();
  }

  #lay(): void {
    this.#frame = this.#laidOut();
    this.#paint();
    if (this.#pointer.point) this.#hover();
  }

  #laidOut(): PlotFrame {
    const frame = this.#framed(this.#options.xTitle, this.#options.yAxes);
    this.#pointer.place(frame.area);
    return frame;
  }

  #framed(title: string, yAxes: CurvePlotOptions["yAxes"]): PlotFrame {
    const { axis, scaling } = this.#options;
    const across: XAxis = { axis, isLog: scaling.isLogX, title };
    return plotFrame(
      this.#size,
      this.#ranges,
      across,
      yAxes.map((yAxis) => ({ ...yAxis, isLog: scaling.isLog })),
      labelWidth,
      labelRoom(this.#curves, this.#size),
    );
  }

  #paint(): void {
    if (this.#curves.length === 0) this.#back.clear();
    else this.#back.paint(this.#size, (ctx) => this.paint(ctx, devicePixelRatio, this.#ink));
    this.#paintFront();
  }

  #paintFront(): void {
    const names = this.#emphasized;
    const near = names.length === 0 ? [] : this.#curves.filter(({ key, label }) => names.includes(key) || names.includes(label));
    const fades = this.#curves.length >= MANY_CURVES;
    if (near.length > 0)
      this.#front.paint(this.#size, (ctx) => paintEmphasized(this.#painting(ctx, devicePixelRatio, this.#ink), near, fades));
    else this.#front.clear();
  }

  #painting(surface: Surface, ratio: number, ink: Ink): Painting {
    const { isLog, isLogX } = this.#options.scaling;
    return { surface, ratio, frame: this.#frame, isLog, isLogX, marksFar: this.marksFar, ink };
  }

  #hover(): void {
    const { point } = this.#pointer;
    if (!point || this.#curves.length === 0) {
      this.#options.onhover(null);
      return;
    }
    this.#options.onhover(hoverAt(point, this.#curves, this.#frame, this.#pointer.area.getBoundingClientRect()));
  }

  #pick(): void {
    const { point, area } = this.#pointer;
    if (point && this.#curves.length > 0) this.#options.onpick(hoverAt(point, this.#curves, this.#frame, area.getBoundingClientRect()));
  }

  #select(box: Area): void {
    const isHorizontal = box.width < this.#frame.area.width - 1;
    this.#options.onzoom(boxWithin(box, this.#frame, this.#curves, this.#options.scaling), { isHorizontal, isContinued: false });
  }

  /** Scales the horizontal range around a place of the area; the height is fitted to it. */
  #scale(factor: number, left: number): void {
    if (this.#curves.length === 0) return;
    const { area, xAt } = this.#frame;
    const [low, high] = this.#wholeX();
    const x = [
      Math.max(low, xAt(area.left + left - left * factor)),
      Math.min(high, xAt(area.left + left + (area.width - left) * factor)),
    ] as const;
    const now = performance.now();
    const isContinued = now - this.#scaledAt < GESTURE_MS && this.#isZoomed;
    this.#scaledAt = now;
    if (x[0] <= low && x[1] >= high) this.#options.onrestore();
    else this.#options.onzoom({ x, y: heightWithin(this.#curves, x, this.#options.scaling) }, { isHorizontal: true, isContinued });
  }

  /** Where zooming out ends: what the whole chart showed, or what is read of the curves where that is more. */
  #wholeX(): Range {
    const read = wholeRanges(this.#curves, this.#options.scaling).x;
    const known = this.#whole.x;
    const isKnown = this.#whole.bare?.[0] === false;
    return isKnown ? [Math.min(read[0], known[0]), Math.max(read[1], known[1])] : read;
  }
}
