// SPDX-License-Identifier: Apache-2.0
import { BAND_OPACITY, bandOpacity } from "../../core/series/band";
import { lineOf, type Curve } from "../../core/series/curve";
import { drawableValues, traceBand, traceCurve } from "../../core/series/curvePath";
import type { Point } from "../../core/series/histogramLayout";
import type { Floats } from "../../core/series/series";
import { projectionOf } from "../frame/plotFrame";
import { isCanvas, type Surface } from "../frame/surface";
import { paintDensity } from "./paintDensity";
import type { Painting } from "./painting";
import { strokeLine } from "./strokeLine";

interface Line {
  width: number;
  opacity: number;
}

const WHOLE: Line = { width: 1.5, opacity: 1 };
const EMPHASIZED: Line = { width: 2.5, opacity: 1 };
/** Of raw values below smoothed ones. */
const RAW: Line = { width: 1.5, opacity: 0.34 };
const PEER: Line = { width: 1, opacity: 0.4 };
/** One of many. */
const PALE: Line = { width: 1.5, opacity: 0.12 };
/** How much of the other curves a highlighted one covers. */
const FADED = 0.72;
const DOT_RADIUS = 2.5;
/** Dots on the edge are whole; lines go this little beyond it. */
const SPILL = 3;
/** Beyond this many rows the joints are too small to see and too many to be rounded. */
const ROUND_ROWS = 400;

/** Draws the faint curves, peers, bands, raw curves, smoothed ones in front; one curve a step. */
export function* paintCurves(painting: Painting, all: readonly Curve[], peers: readonly Curve[]): Generator<void> {
  const curves = all.filter(({ isBehind }) => !isBehind);
  clipToArea(painting);
  if (curves.length < all.length) yield* paintBehind(painting, all);
  for (const peer of peers) {
    stroke(painting, peer, peer.raw, PEER);
    yield;
  }
  const opacity = bandOpacity(curves.filter(({ band }) => band !== null).length);
  for (const curve of curves) {
    if (!curve.band) continue;
    fillBand(painting, curve, opacity);
    yield;
  }
  for (const curve of curves) {
    if (curve.smoothed && !curve.band) stroke(painting, curve, curve.raw, RAW);
    yield;
  }
  for (const curve of curves) {
    stroke(painting, curve, lineOf(curve), WHOLE);
    yield;
  }
  painting.surface.restore();
}

/** Many curves are a density on a canvas, and pale lines in an SVG: a picture would not follow its theme. */
function* paintBehind(painting: Painting, all: readonly Curve[]): Generator<void> {
  const { surface } = painting;
  if (isCanvas(surface)) yield* paintDensity(surface, painting, all);
  else for (const curve of all) if (curve.isBehind) stroke(painting, { ...curve, color: "var(--ink)" }, lineOf(curve), PALE);
}

/** Curves, thicker: drawn over all others while the pointer is near; among many the others fade. */
export function* paintEmphasized(painting: Painting, curves: readonly Curve[], fades: boolean): Generator<void> {
  clipToArea(painting);
  if (fades) fade(painting);
  for (const curve of curves) {
    if (curve.band) fillBand(painting, curve, BAND_OPACITY);
    stroke(painting, curve, lineOf(curve), EMPHASIZED);
    yield;
  }
  painting.surface.restore();
}

function fade({ surface, frame: { area }, ink }: Painting): void {
  surface.globalAlpha = FADED;
  surface.fillStyle = ink("var(--paper)");
  surface.fillRect(area.left, area.top, area.width, area.height);
}

function clipToArea({ surface, frame: { area } }: Painting): void {
  surface.save();
  surface.beginPath();
  surface.rect(area.left - SPILL, area.top - SPILL, area.width + 2 * SPILL, area.height + 2 * SPILL);
  surface.clip();
}

function stroke({ surface, ratio, frame, isLog, isLogX, ink }: Painting, curve: Curve, values: Floats, { width, opacity }: Line): void {
  const drawn = drawableValues(values, isLog, isLogX ? curve.x : null);
  surface.strokeStyle = surface.fillStyle = ink(curve.color);
  surface.lineJoin = values.length > ROUND_ROWS ? "bevel" : "round";
  surface.setLineDash([...curve.dash]);
  const dots = strokeLine(surface, { width, opacity, ratio }, (path) => traceCurve(path, curve.x, drawn, projectionOf(frame, curve)));
  surface.globalAlpha = opacity;
  paintDots(surface, dots, DOT_RADIUS);
}

export function paintDots(surface: Surface, dots: readonly Point[], radius: number): void {
  surface.beginPath();
  for (const { x, y } of dots) {
    surface.moveTo(x + radius, y);
    surface.arc(x, y, radius, 0, 2 * Math.PI);
  }
  surface.fill();
}

function fillBand({ surface, frame, isLog, isLogX, ink }: Painting, curve: Curve, opacity: number): void {
  const { low, high } = curve.band!;
  const x = isLogX ? curve.x : null;
  surface.globalAlpha = opacity;
  surface.fillStyle = ink(curve.color);
  surface.beginPath();
  traceBand(surface, curve.x, drawableValues(low, isLog, x), drawableValues(high, isLog, x), projectionOf(frame, curve));
  surface.fill();
}
