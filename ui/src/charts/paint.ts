// SPDX-License-Identifier: Apache-2.0
import type uPlot from "uplot";

import { drawableValues, traceBand, traceCurve, type Pen, type Projection } from "../core/curvePath";
import { isAtTop, missingMarks, thinMarks, type MissingKind } from "../core/missing";
import type { Curve } from "../core/curve";
import { scaleName } from "./axes";

const LINE = 1.5;
const EMPHASISED_LINE = 2.5;
const FAINT = 0.34;
const BAND = 0.16;
const GUIDE_FONT = 11;
const DOT_RADIUS = 2.5;
/** Dots on the edge are whole; lines go this little beyond it. */
const SPILL = 3;
const MARK = 3.5;
/** Beyond this many rows the joints are too small to see and too many to be rounded. */
const ROUND_ROWS = 400;

/** Canvas pen: lines in one path, single points as discs in another. */
class CanvasPen implements Pen {
  readonly line = new Path2D();
  readonly dots = new Path2D();
  readonly #radius: number;

  constructor(radius: number) {
    this.#radius = radius;
  }

  moveTo(x: number, y: number): void {
    this.line.moveTo(x, y);
  }

  lineTo(x: number, y: number): void {
    this.line.lineTo(x, y);
  }

  dot(x: number, y: number): void {
    this.dots.moveTo(x + this.#radius, y);
    this.dots.arc(x, y, this.#radius, 0, 2 * Math.PI);
  }
}

/** A horizontal line across the chart, on the first vertical axis. */
export interface Guide {
  value: number;
  label: string;
}

export interface Painting {
  plot: uPlot;
  ctx: CanvasRenderingContext2D;
  isLog: boolean;
  isLogX: boolean;
  /** Mark values that are finite but beyond the shown heights. */
  marksFar: boolean;
  ink: (colour: string) => string;
}

/** Draws bands, raw curves, smoothed ones in front, then what has no height, then guides; one curve a step. */
export function* paintCurves(painting: Painting, curves: readonly Curve[], guides: readonly Guide[]): Generator<void> {
  clipToPlot(painting);
  for (const curve of curves) {
    if (curve.band) {
      fillBand(painting, curve);
      yield;
    }
  }
  for (const curve of curves) {
    if (!(curve.band && curve.smoothed)) stroke(painting, curve, curve.raw, curve.smoothed ? FAINT : 1, LINE);
    yield;
  }
  for (const curve of curves) {
    if (curve.smoothed) stroke(painting, curve, curve.smoothed, 1, LINE);
    yield;
  }
  painting.ctx.restore();
  for (const curve of curves) paintMarks(painting, curve);
  for (const guide of guides) paintGuide(painting, guide);
}

/** Curves, thicker: drawn over all others while the pointer is near. */
export function* paintEmphasised(painting: Painting, curves: readonly Curve[]): Generator<void> {
  clipToPlot(painting);
  for (const curve of curves) {
    stroke(painting, curve, curve.smoothed ?? curve.raw, 1, EMPHASISED_LINE);
    yield;
  }
  painting.ctx.restore();
}

function clipToPlot({ ctx, plot: { bbox } }: Painting): void {
  ctx.save();
  ctx.beginPath();
  ctx.rect(bbox.left - SPILL, bbox.top - SPILL, bbox.width + 2 * SPILL, bbox.height + 2 * SPILL);
  ctx.clip();
}

/** Values to canvas pixels. `scale` is the number of the vertical axis. */
export function projectionOf(plot: uPlot, ratio = 1, scale = 0): Projection {
  const { left, top, width, height } = plot.bbox;
  return {
    x: along(plot.scales["x"]!, left, left + width, ratio),
    y: along(plot.scales[scaleName(scale)]!, top + height, top, ratio),
  };
}

function along({ min, max, distr }: uPlot.Scale, from: number, to: number, ratio: number): (value: number) => number {
  if (distr !== 3) return linear(min!, max!, from, to, ratio);
  const place = linear(Math.log10(min!), Math.log10(max!), from, to, ratio);
  return (value) => place(Math.log10(value));
}

function linear(low: number, high: number, from: number, to: number, ratio: number): (value: number) => number {
  const factor = (to - from) / (high - low);
  return (value) => (from + (value - low) * factor) / ratio;
}

function stroke(painting: Painting, curve: Curve, values: Float32Array, opacity: number, width: number): void {
  const { ctx, plot, isLog, isLogX, ink } = painting;
  const pen = new CanvasPen(DOT_RADIUS * devicePixelRatio);
  traceCurve(pen, curve.x, drawableValues(values, isLog, isLogX ? curve.x : null), projectionOf(plot, 1, curve.scale));
  ctx.globalAlpha = opacity;
  ctx.strokeStyle = ctx.fillStyle = ink(curve.colour);
  ctx.lineWidth = width * devicePixelRatio;
  ctx.lineJoin = values.length > ROUND_ROWS ? "bevel" : "round";
  ctx.setLineDash(curve.dash.map((length) => length * devicePixelRatio));
  ctx.stroke(pen.line);
  ctx.fill(pen.dots);
}

function fillBand({ ctx, plot, isLog, isLogX, ink }: Painting, curve: Curve): void {
  const { low, high } = curve.band!;
  const pen = new CanvasPen(0);
  const x = isLogX ? curve.x : null;
  traceBand(pen, curve.x, drawableValues(low, isLog, x), drawableValues(high, isLog, x), projectionOf(plot, 1, curve.scale));
  ctx.globalAlpha = BAND;
  ctx.fillStyle = ink(curve.colour);
  ctx.fill(pen.line);
}

function paintGuide({ ctx, plot, ink }: Painting, { value, label }: Guide): void {
  const { left, top, width, height } = plot.bbox;
  const y = Math.round(projectionOf(plot).y(value));
  if (!(y >= top && y <= top + height)) return;
  ctx.save();
  ctx.strokeStyle = ctx.fillStyle = ink("var(--warn)");
  ctx.lineWidth = devicePixelRatio;
  ctx.setLineDash([4 * devicePixelRatio, 3 * devicePixelRatio]);
  ctx.beginPath();
  ctx.moveTo(left, y);
  ctx.lineTo(left + width, y);
  ctx.stroke();
  ctx.font = `${GUIDE_FONT * devicePixelRatio}px "Inter Variable", system-ui, sans-serif`;
  ctx.textAlign = "right";
  const isRoomAbove = y - top > (GUIDE_FONT + 4) * devicePixelRatio;
  const [x, base] = [left + width - 4 * devicePixelRatio, isRoomAbove ? y - 4 * devicePixelRatio : y + (GUIDE_FONT + 2) * devicePixelRatio];
  ctx.setLineDash([]);
  ctx.lineWidth = 4 * devicePixelRatio;
  ctx.strokeStyle = ink("var(--paper)");
  ctx.strokeText(label, x, base);
  ctx.fillText(label, x, base);
  ctx.restore();
}

function paintMarks({ plot, ctx, isLog, marksFar, ink }: Painting, curve: Curve): void {
  const { left, top, width, height } = plot.bbox;
  const { min, max } = plot.scales[scaleName(curve.scale)]!;
  const marks = thinMarks(missingMarks(curve.x, curve.raw, isLog, marksFar ? [min!, max!] : null), projectionOf(plot).x);
  if (marks.length === 0) return;
  ctx.save();
  ctx.strokeStyle = ctx.fillStyle = ink(curve.colour);
  ctx.lineWidth = 1.5 * devicePixelRatio;
  for (const { pixel, kind } of marks) {
    if (!(pixel >= left && pixel <= left + width)) continue;
    paintMark(ctx, kind, pixel, isAtTop(kind) ? top : top + height, MARK * devicePixelRatio);
  }
  ctx.restore();
}

/** NaN is a cross, an infinity a filled triangle that points where it went, a finite value without a place a hollow one. */
function paintMark(ctx: CanvasRenderingContext2D, kind: MissingKind, x: number, y: number, size: number): void {
  ctx.beginPath();
  if (kind === "nan") {
    ctx.moveTo(x - size, y - size);
    ctx.lineTo(x + size, y + size);
    ctx.moveTo(x - size, y + size);
    ctx.lineTo(x + size, y - size);
    ctx.stroke();
    return;
  }
  const tip = isAtTop(kind) ? -size : size;
  ctx.moveTo(x, y + tip);
  ctx.lineTo(x - size, y - tip);
  ctx.lineTo(x + size, y - tip);
  ctx.closePath();
  if (kind === "positive_infinity" || kind === "negative_infinity") ctx.fill();
  else ctx.stroke();
}
