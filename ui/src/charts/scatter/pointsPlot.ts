// SPDX-License-Identifier: Apache-2.0
import { paintDisc } from "../../core/lineage/discRaster";
import { mapColor } from "../../core/lineage/lineColors";
import { CHANNEL_MAX } from "../../core/lineage/lineRaster";
import type { ScatterPoints } from "../../core/lineage/scatterPoints";
import type { Rgb } from "../../core/scales/colorMap";
import type { Area } from "../../core/series/histogramLayout";
import type { LineLook } from "../frame/lineColor";
import { GRAY_OPACITY, pointOpacity } from "./paintScatter";
import type { ScatterFrame } from "./scatterFrame";

export interface PointsDrawing {
  frame: ScatterFrame;
  points: ScatterPoints;
  radii: Float32Array;
  /** For each drawn row 1 if it is selected. */
  passing: Uint8Array;
  look: LineLook;
}

/** Room for a point at the edge of the area. */
const EDGE = 9;
const CHANNELS = 3;
const CHANNEL_SCALE = 255 / CHANNEL_MAX;

/** A canvas over the area of a scatter chart that shows its points, painted once a frame. */
export class PointsPlot {
  readonly #canvas: HTMLCanvasElement;
  #drawing: PointsDrawing | null = null;
  #frame: number | null = null;

  constructor(canvas: HTMLCanvasElement) {
    this.#canvas = canvas;
  }

  show(drawing: PointsDrawing): void {
    this.#drawing = drawing;
    this.#frame ??= requestAnimationFrame(() => {
      this.#frame = null;
      this.#paint(this.#drawing!);
    });
  }

  destroy(): void {
    if (this.#frame !== null) cancelAnimationFrame(this.#frame);
  }

  #paint(drawing: PointsDrawing): void {
    const { width, height } = canvasBox(drawing.frame);
    const size = { width: Math.max(1, Math.round(width * devicePixelRatio)), height: Math.max(1, Math.round(height * devicePixelRatio)) };
    if (this.#canvas.width !== size.width || this.#canvas.height !== size.height) Object.assign(this.#canvas, size);
    Object.assign(this.#canvas.style, { width: `${width}px`, height: `${height}px` });
    const ctx = this.#canvas.getContext("2d", { willReadFrequently: true })!;
    const image = ctx.createImageData(size.width, size.height);
    paintDiscs(image, drawing, devicePixelRatio);
    ctx.putImageData(image, 0, 0);
  }
}

/** The area, and around it the room for points at its edges. */
export function canvasBox({ area: { left, top, width, height } }: ScatterFrame): Area {
  return { left: left - EDGE, top: top - EDGE, width: width + 2 * EDGE, height: height + 2 * EDGE };
}

/** Selected points over the others. */
function paintDiscs(image: ImageData, { frame: { area }, points, radii, passing, look }: PointsDrawing, ratio: number): void {
  const opacity = pointOpacity(points.lines.length);
  for (const isFront of [false, true]) {
    points.lines.forEach((line, index) => {
      if ((passing[line] === 1) !== isFront) return;
      const [x, y] = [EDGE + points.x[index]! * area.width, EDGE + (1 - points.y[index]!) * area.height];
      paintDisc(
        image,
        x * ratio,
        y * ratio,
        radii[line]! * ratio,
        isFront ? rgbOf(look, line) : look.gray,
        isFront ? opacity : GRAY_OPACITY,
      );
    });
  }
}

function rgbOf({ colors, channels, stops, gray }: LineLook, line: number): Rgb {
  if ("shares" in colors) return Number.isNaN(colors.shares[line]) ? gray : mapColor(stops, colors.shares[line]!);
  const [red, green, blue] = channels.subarray(CHANNELS * line, CHANNELS * line + CHANNELS);
  return [red! * CHANNEL_SCALE, green! * CHANNEL_SCALE, blue! * CHANNEL_SCALE];
}
