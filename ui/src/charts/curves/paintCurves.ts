// SPDX-License-Identifier: Apache-2.0
import type { Floats } from "../../core/series/series";
import { BAND_OPACITY, bandOpacity } from "../../core/series/band";
import type { Curve } from "../../core/series/curve";
import { drawableValues, traceBand, traceCurve } from "../../core/series/curvePath";
import { CurvePen } from "./canvasPen";
import { paintDensity } from "./paintDensity";
import { paintEndLabels } from "./paintEndLabels";
import { strokeLine } from "./lineStroke";
import { paintGuide, paintMarks, type Guide } from "./paintMarks";
import type { Painting } from "./painting";

const LINE = 1.5;
const EMPHASISED_LINE = 2.5;
const FAINT = 0.34;
/** How much of the other curves a highlighted one covers. */
const FADED = 0.72;
const DOT_RADIUS = 2.5;
/** Dots on the edge are whole; lines go this little beyond it. */
const SPILL = 3;
/** Beyond this many rows the joints are too small to see and too many to be rounded. */
const ROUND_ROWS = 400;

/** Draws the density, bands, raw curves, smoothed ones in front, then what has no height, then guides; one curve a step. */
export function* paintCurves(painting: Painting, all: readonly Curve[], guides: readonly Guide[]): Generator<void> {
  const curves = all.filter(({ isBehind }) => !isBehind);
  clipToArea(painting);
  if (curves.length < all.length) yield* paintDensity(painting, all);
  const opacity = bandOpacity(curves.filter(({ band }) => band !== null).length);
  for (const curve of curves) {
    if (!curve.band) continue;
    fillBand(painting, curve, opacity);
    yield;
  }
  for (const curve of curves) {
    if (!(curve.band && curve.smoothed)) stroke(painting, curve, curve.raw, curve.smoothed ? FAINT : 1, LINE);
    yield;
  }
  for (const curve of curves) {
    if (!curve.smoothed) continue;
    stroke(painting, curve, curve.smoothed, 1, LINE);
    yield;
  }
  painting.ctx.restore();
  for (const curve of curves) paintMarks(painting, curve);
  for (const guide of guides) paintGuide(painting, guide);
  paintEndLabels(painting, curves);
}

/** Curves, thicker: drawn over all others while the pointer is near; among many the others fade. */
export function* paintEmphasised(painting: Painting, curves: readonly Curve[], fades: boolean): Generator<void> {
  clipToArea(painting);
  if (fades) fade(painting);
  for (const curve of curves) {
    if (curve.band) fillBand(painting, curve, BAND_OPACITY);
    stroke(painting, curve, curve.smoothed ?? curve.raw, 1, EMPHASISED_LINE);
    yield;
  }
  painting.ctx.restore();
}

function fade({ ctx, frame: { area }, ink }: Painting): void {
  ctx.globalAlpha = FADED;
  ctx.fillStyle = ink("var(--paper)");
  ctx.fillRect(area.left, area.top, area.width, area.height);
}

function clipToArea({ ctx, frame: { area } }: Painting): void {
  ctx.save();
  ctx.beginPath();
  ctx.rect(area.left - SPILL, area.top - SPILL, area.width + 2 * SPILL, area.height + 2 * SPILL);
  ctx.clip();
}

function stroke({ ctx, frame, isLog, isLogX, ink }: Painting, curve: Curve, values: Floats, opacity: number, width: number): void {
  const pen = new CurvePen(DOT_RADIUS);
  traceCurve(pen, curve.x, drawableValues(values, isLog, isLogX ? curve.x : null), frame.projections[curve.scale]!);
  ctx.strokeStyle = ctx.fillStyle = ink(curve.color);
  ctx.lineJoin = values.length > ROUND_ROWS ? "bevel" : "round";
  ctx.setLineDash([...curve.dash]);
  strokeLine(ctx, pen.line, width, opacity);
  ctx.globalAlpha = opacity;
  ctx.fill(pen.dots);
}

function fillBand({ ctx, frame, isLog, isLogX, ink }: Painting, curve: Curve, opacity: number): void {
  const { low, high } = curve.band!;
  const pen = new CurvePen(0);
  const x = isLogX ? curve.x : null;
  traceBand(pen, curve.x, drawableValues(low, isLog, x), drawableValues(high, isLog, x), frame.projections[curve.scale]!);
  ctx.globalAlpha = opacity;
  ctx.fillStyle = ink(curve.color);
  ctx.fill(pen.line);
}
