// SPDX-License-Identifier: Apache-2.0
import type { TimelineWindow } from "../../core/profiles/timeline";
import type { TimeRange } from "../../core/profiles/timeRange";

/** A line of cells at a height, in CSS pixels. */
export interface CellLine {
  lane: number;
  top: number;
  height: number;
}

/** Cells that are hardly filled stay visible. */
const LEAST_ALPHA = 72;
const PALE = 0.25;

/** Draws narrow slices: a line of pixels for each lane, stretched to its height. The cost depends on pixels, not on slices. */
export class CellRaster {
  readonly #canvas = document.createElement("canvas");
  #image: ImageData | null = null;

  /** `width` in CSS pixels; `packed` are the colors as ABGR. */
  paint(
    ctx: CanvasRenderingContext2D,
    {
      window,
      range,
      width,
      packed,
      isPale,
    }: { window: TimelineWindow; range: TimeRange; width: number; packed: Uint32Array; isPale: boolean },
    lines: readonly CellLine[],
  ): void {
    if (lines.length === 0) return;
    const columns = Math.max(1, Math.round(width * devicePixelRatio));
    const image = this.#sized(columns, lines.length);
    const pixels = new Uint32Array(image.data.buffer);
    pixels.fill(0);
    const scale = columns / (range.end - range.begin);
    const first = (window.begin_ns - range.begin) * scale;
    const step = window.pixel_ns * scale;
    lines.forEach(({ lane }, line) =>
      rasterLane(pixels.subarray(line * columns, (line + 1) * columns), window, lane, first, step, packed, isPale),
    );
    this.#canvas.getContext("2d")!.putImageData(image, 0, 0);
    ctx.imageSmoothingEnabled = false;
    lines.forEach(({ top, height }, line) => ctx.drawImage(this.#canvas, 0, line, columns, 1, 0, top, width, height));
  }

  #sized(columns: number, lines: number): ImageData {
    if (this.#image?.width === columns && this.#image.height === lines) return this.#image;
    [this.#canvas.width, this.#canvas.height] = [columns, lines];
    return (this.#image = new ImageData(columns, lines));
  }
}

function rasterLane(
  pixels: Uint32Array,
  { lane_cells, pixel, busy, color }: TimelineWindow,
  lane: number,
  first: number,
  step: number,
  packed: Uint32Array,
  isPale: boolean,
): void {
  const columns = pixels.length;
  for (let cell = lane_cells[lane]!; cell < lane_cells[lane + 1]!; cell++) {
    const at = first + pixel[cell]! * step;
    if (at >= columns) break;
    const end = Math.min(columns, Math.max(Math.floor(at) + 1, Math.round(at + step)));
    const strength = Math.max(LEAST_ALPHA, busy[cell]!);
    const alpha = isPale ? Math.round(strength * PALE) : strength;
    const value = ((alpha << 24) | packed[color[cell]!]!) >>> 0;
    for (let column = Math.max(0, Math.floor(at)); column < end; column++) if (pixels[column]! >>> 24 < alpha) pixels[column] = value;
  }
}
