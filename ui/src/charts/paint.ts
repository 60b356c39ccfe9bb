// SPDX-License-Identifier: Apache-2.0
import type uPlot from "uplot";

import { drawableValues, traceCurve, type Pen, type Projection } from "../core/curvePath";
import { isAtTop, missingMarks, thinMarks, type MissingKind } from "../core/missing";
import type { Curve } from "../core/curve";

const LINE = 1.5;
const EMPHASISED_LINE = 2.5;
const FAINT = 0.34;
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

export interface Painting {
  plot: uPlot;
  ctx: CanvasRenderingContext2D;
  isLog: boolean;
  ink: (colour: string) => string;
}

/** Draws raw curves, then smoothed ones in front, then the marks of what has no height; one curve a step. */
export function* paintCurves(painting: Painting, curves: readonly Curve[]): Generator<void> {
  const projection = projectionOf(painting.plot);
  clipToPlot(painting);
  for (const curve of curves) {
    stroke(painting, projection, curve, curve.raw, curve.smoothed ? FAINT : 1, LINE);
    yield;
  }
  for (const curve of curves) {
    if (curve.smoothed) stroke(painting, projection, curve, curve.smoothed, 1, LINE);
    yield;
  }
  painting.ctx.restore();
  for (const curve of curves) paintMarks(painting, projection, curve);
}

/** One curve, thicker: drawn over all others while the pointer is near. */
export function* paintEmphasised(painting: Painting, curve: Curve): Generator<void> {
  clipToPlot(painting);
  stroke(painting, projectionOf(painting.plot), curve, curve.smoothed ?? curve.raw, 1, EMPHASISED_LINE);
  yield;
  painting.ctx.restore();
}

function clipToPlot({ ctx, plot: { bbox } }: Painting): void {
  ctx.save();
  ctx.beginPath();
  ctx.rect(bbox.left - SPILL, bbox.top - SPILL, bbox.width + 2 * SPILL, bbox.height + 2 * SPILL);
  ctx.clip();
}

/** Values to canvas pixels. */
export function projectionOf(plot: uPlot, ratio = 1): Projection {
  const x = linear(plot.scales["x"]!.min!, plot.scales["x"]!.max!, plot.bbox.left, plot.bbox.left + plot.bbox.width, ratio);
  const { min, max, distr } = plot.scales["y"]!;
  const [bottom, top] = [plot.bbox.top + plot.bbox.height, plot.bbox.top];
  if (distr !== 3) return { x, y: linear(min!, max!, bottom, top, ratio) };
  const y = linear(Math.log10(min!), Math.log10(max!), bottom, top, ratio);
  return { x, y: (value) => y(Math.log10(value)) };
}

function linear(low: number, high: number, from: number, to: number, ratio: number): (value: number) => number {
  const factor = (to - from) / (high - low);
  return (value) => (from + (value - low) * factor) / ratio;
}

function stroke(
  { ctx, isLog, ink }: Painting,
  projection: Projection,
  curve: Curve,
  values: Float32Array,
  opacity: number,
  width: number,
): void {
  const pen = new CanvasPen(DOT_RADIUS * devicePixelRatio);
  traceCurve(pen, curve.x, drawableValues(values, isLog), projection);
  ctx.globalAlpha = opacity;
  ctx.strokeStyle = ctx.fillStyle = ink(curve.colour);
  ctx.lineWidth = width * devicePixelRatio;
  ctx.lineJoin = values.length > ROUND_ROWS ? "bevel" : "round";
  ctx.stroke(pen.line);
  ctx.fill(pen.dots);
}

function paintMarks({ plot, ctx, isLog, ink }: Painting, projection: Projection, curve: Curve): void {
  const { left, top, width, height } = plot.bbox;
  const marks = thinMarks(missingMarks(curve.x, curve.raw, isLog), projection.x);
  if (marks.length === 0) return;
  ctx.save();
  ctx.strokeStyle = ctx.fillStyle = ink(curve.colour);
  ctx.lineWidth = 1.5 * devicePixelRatio;
  for (const { pixel, kind } of marks) {
    if (pixel < left || pixel > left + width) continue;
    paintMark(ctx, kind, pixel, isAtTop(kind) ? top : top + height, MARK * devicePixelRatio);
  }
  ctx.restore();
}

/** NaN is a cross, an infinity a filled triangle that points where it went, zero or less on a log scale a hollow one. */
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
  const tip = kind === "positive_infinity" ? -size : size;
  ctx.moveTo(x, y + tip);
  ctx.lineTo(x - size, y - tip);
  ctx.lineTo(x + size, y - tip);
  ctx.closePath();
  if (kind === "not_positive") ctx.stroke();
  else ctx.fill();
}
