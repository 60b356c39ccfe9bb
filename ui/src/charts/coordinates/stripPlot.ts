// SPDX-License-Identifier: Apache-2.0
import { LineStrip } from "../../core/lineage/lineStrip";
import type { LineHeights } from "../../core/lineage/nearestLine";
import type { LineLook } from "../frame/lineColor";
import { lineOpacity, paintStrip } from "./stripImage";
import { strokeLines } from "./strokeLines";

/** Lines between two neighboring axes; sizes in CSS pixels. */
export interface StripLines extends LineLook {
  from: LineHeights;
  to: LineHeights;
  width: number;
  height: number;
}

/** The most lines that are stroked: sharper than a raster, but slow for many. */
export const STROKED = 200;

/** Paints the lines between two axes; after a change of the selection, only the lines that changed. */
export class StripPainter {
  readonly lines: StripLines;
  #strip: LineStrip | null = null;
  #image: ImageData | null = null;

  constructor(lines: StripLines) {
    this.lines = lines;
  }

  /** `ratio` is the pixels of the canvas for a CSS pixel, the same in every call. */
  paint(canvas: HTMLCanvasElement, passing: Uint8Array<ArrayBuffer>, ratio: number): void {
    const { width, height, from } = this.lines;
    const size = { width: Math.max(1, Math.round(width * ratio)), height: Math.max(1, Math.round(height * ratio)) };
    if (canvas.width !== size.width || canvas.height !== size.height) Object.assign(canvas, size);
    const ctx = canvas.getContext("2d", { willReadFrequently: true })!;
    if (from.length <= STROKED) this.#stroke(ctx, passing, ratio);
    else this.#fill(ctx, passing, ratio);
  }

  #stroke(ctx: CanvasRenderingContext2D, passing: Uint8Array, ratio: number): void {
    const { width, from, to } = this.lines;
    ctx.reset();
    ctx.scale(ratio, ratio);
    const count = passing.reduce((sum, each) => sum + each, 0);
    strokeLines({ ...this.lines, surface: ctx, xs: [0, width], heights: [from, to], passing }, lineOpacity(count));
  }

  #fill(ctx: CanvasRenderingContext2D, passing: Uint8Array, ratio: number): void {
    const { colors, stops, gray } = this.lines;
    const { width, height } = ctx.canvas;
    this.#strip ??= rasterOf(this.lines, ctx.canvas, ratio);
    this.#image ??= ctx.createImageData(width, height);
    this.#strip.select(passing);
    paintStrip(this.#strip, this.#image, { stops: "shares" in colors ? stops : null, gray });
    ctx.putImageData(this.#image, 0, 0);
  }
}

/** A canvas that shows the lines between two axes and follows their selection, once a frame. */
export class StripPlot {
  readonly #canvas: HTMLCanvasElement;
  #painter: StripPainter | null = null;
  #passing = new Uint8Array(0);
  #frame: number | null = null;

  constructor(canvas: HTMLCanvasElement) {
    this.#canvas = canvas;
  }

  show(lines: StripLines): void {
    if (this.#painter && isSame(this.#painter.lines, lines)) return;
    this.#painter = new StripPainter(lines);
    this.#request();
  }

  select(passing: Uint8Array<ArrayBuffer>): void {
    this.#passing = passing;
    this.#request();
  }

  destroy(): void {
    if (this.#frame !== null) cancelAnimationFrame(this.#frame);
  }

  #request(): void {
    this.#frame ??= requestAnimationFrame(() => {
      this.#frame = null;
      const lines = this.#painter?.lines.from.length;
      if (lines === this.#passing.length) this.#painter?.paint(this.#canvas, this.#passing, devicePixelRatio);
    });
  }
}

/** Pixel rows of heights are between the middles of the first and of the last pixel. */
function rasterOf({ from, to, channels }: StripLines, { width, height }: { width: number; height: number }, ratio: number): LineStrip {
  const rows = (heights: LineHeights): Float32Array =>
    Float32Array.from(heights, (y) => Math.max(0, Math.min(height - 1, y * ratio - 0.5)));
  return new LineStrip(width, height, rows(from), rows(to), channels);
}

function isSame(one: StripLines, other: StripLines): boolean {
  return (Object.keys(one) as (keyof StripLines)[]).every((key) => one[key] === other[key]);
}
