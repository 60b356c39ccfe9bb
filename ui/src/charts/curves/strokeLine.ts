// SPDX-License-Identifier: Apache-2.0
import type { LinePath } from "../../core/series/curvePath";
import { isCanvas, type Surface } from "../frame/surface";

/** Lines at most this wide, in pixels of the screen, are made of hairlines. */
const WIDEST = 2;
/** Passes that cover the middle of the line. */
const COVERING = 3;

interface LineLook {
  width: number;
  opacity: number;
  /** Pixels of the screen for a CSS pixel. */
  ratio: number;
}

/**
 * Strokes a line of many joints, which `trace` adds to a path; returns what `trace` returns. A line wider than a pixel
 * costs a browser without a graphics card thirty times as much as one of a pixel, so a canvas draws a thin line as four of
 * a pixel, each a little beside the middle: they look the same.
 */
export function strokeLine<T>(surface: Surface, { width, opacity, ratio }: LineLook, trace: (path: LinePath) => T): T {
  if (isCanvas(surface) && width * ratio <= WIDEST && surface.getLineDash().length === 0) {
    const path = new Path2D();
    const traced = trace(path);
    surface.globalAlpha = opacity === 1 ? 1 : 1 - (1 - opacity) ** (1 / COVERING);
    strokeHairlines(surface, path, Math.max(0, (width * ratio - 1) / 2) / ratio, ratio);
    return traced;
  }
  surface.globalAlpha = opacity;
  surface.lineWidth = width;
  surface.beginPath();
  const traced = trace(surface);
  surface.stroke();
  return traced;
}

function strokeHairlines(ctx: CanvasRenderingContext2D, path: Path2D, aside: number, ratio: number): void {
  ctx.lineWidth = 1 / ratio;
  for (const [x, y] of [
    [-aside, 0],
    [aside, 0],
    [0, -aside],
    [0, aside],
  ] as const) {
    ctx.translate(x, y);
    ctx.stroke(path);
    ctx.translate(-x, -y);
  }
}
