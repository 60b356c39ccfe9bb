// SPDX-License-Identifier: Apache-2.0
import type { Size } from "../frame/plotFrame";

/** The context of a canvas in CSS pixels; the canvas gets the pixels of the screen. */
export function fitCanvas(canvas: HTMLCanvasElement, { width, height }: Size): CanvasRenderingContext2D {
  const [wide, tall] = [Math.max(1, Math.round(width * devicePixelRatio)), Math.max(1, Math.round(height * devicePixelRatio))];
  if (canvas.width !== wide) canvas.width = wide;
  if (canvas.height !== tall) canvas.height = tall;
  const ctx = canvas.getContext("2d")!;
  ctx.setTransform(devicePixelRatio, 0, 0, devicePixelRatio, 0, 0);
  return ctx;
}
