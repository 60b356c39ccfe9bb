// SPDX-License-Identifier: Apache-2.0
/** Lines at most this wide, in pixels of the screen, are made of hairlines. */
const WIDEST = 2;
/** Passes that cover the middle of the line. */
const COVERING = 3;

/**
 * Strokes a line of many joints. A line wider than a pixel costs a browser without a graphics card thirty times as much
 * as one of a pixel, so a thin line is drawn as four of a pixel, each a little beside the middle: they look the same.
 */
export function strokeLine(ctx: CanvasRenderingContext2D, path: Path2D, width: number, opacity: number): void {
  const wide = width * devicePixelRatio;
  if (wide > WIDEST || ctx.getLineDash().length > 0) {
    ctx.globalAlpha = opacity;
    ctx.lineWidth = width;
    ctx.stroke(path);
    return;
  }
  const aside = Math.max(0, (wide - 1) / 2) / devicePixelRatio;
  ctx.globalAlpha = opacity === 1 ? 1 : 1 - (1 - opacity) ** (1 / COVERING);
  ctx.lineWidth = 1 / devicePixelRatio;
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
