// SPDX-License-Identifier: Apache-2.0
import { lineOf, type Curve } from "../../core/series/curve";
import { drawableValues } from "../../core/series/curvePath";
import { darkestWeight, LineDensity } from "../../core/series/density";
import { projectionOf } from "../frame/plotFrame";
import type { Painting } from "./painting";

const PALEST = 26;
const DARKEST = 200;
/** Below 1, so that a few lines are seen beside hundreds. */
const GAMMA = 0.65;
const INK = "var(--ink-soft)";
/** Of a picture in a step. */
const COLUMNS = 64;

/** Draws all curves as one gray area, the darker the more lines pass a pixel; one curve a step. */
export function* paintDensity(ctx: CanvasRenderingContext2D, painting: Painting, curves: readonly Curve[]): Generator<void> {
  const { ratio, frame, isLog, isLogX, ink } = painting;
  const { left, top, width, height } = frame.area;
  const density = new LineDensity(Math.round(width * ratio), Math.round(height * ratio));
  for (const curve of curves) {
    const { x, y } = projectionOf(frame, curve);
    const values = drawableValues(lineOf(curve), isLog, isLogX ? curve.x : null);
    density.add(
      Float64Array.from(curve.x, (value) => (x(value) - left) * ratio),
      Float64Array.from(values, (value) => (y(value) - top) * ratio),
    );
    yield;
  }
  const image = yield* densityImage(density, ink(INK));
  ctx.globalAlpha = 1;
  ctx.drawImage(image, left, top, width, height);
}

/** Some columns a step: all of them together take longer than a frame. */
function* densityImage(density: LineDensity, color: string): Generator<void, OffscreenCanvas> {
  const { width, height } = density;
  const weights = density.weights();
  yield;
  const darkest = darkestWeight(weights);
  yield;
  const canvas = new OffscreenCanvas(width, height);
  const ctx = canvas.getContext("2d", { willReadFrequently: true })!;
  const image = ctx.createImageData(width, height);
  for (let column = 0; column < width; column++) {
    for (let row = 0; row < height; row++) {
      const weight = weights[column * height + row]!;
      if (weight === 0) continue;
      image.data[4 * (row * width + column) + 3] = PALEST + (DARKEST - PALEST) * Math.min(1, weight / darkest) ** GAMMA;
    }
    if (column % COLUMNS === COLUMNS - 1) yield;
  }
  ctx.putImageData(image, 0, 0);
  ctx.globalCompositeOperation = "source-in";
  ctx.fillStyle = color;
  ctx.fillRect(0, 0, width, height);
  return canvas;
}
