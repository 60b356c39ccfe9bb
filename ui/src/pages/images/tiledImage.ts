// SPDX-License-Identifier: Apache-2.0
import { isTiled, stripOf, type ImageStrip } from "../../core/layout/imageStrip";
import type { LoadedImage } from "../../state/data/steppedImage.svelte";

/** Plots and spectrograms are higher. */
const LOW = 64;
/** A larger picture is not looked through. */
const MOST_PIXELS = 1 << 20;

/** Series whose pictures are strips: one that was a strip at a step is one at all. */
const tiled = new Set<string>();

/** The tiles of a picture that is a strip of them; null for any other. */
export function tilesOf({ key, image }: LoadedImage): ImageStrip | null {
  const { naturalWidth: width, naturalHeight: height } = image;
  const strip = width * height <= MOST_PIXELS ? stripOf({ width, height }) : null;
  if (!strip || strip.side <= LOW) return strip;
  const series = JSON.stringify([key.run, key.tag]);
  if (!tiled.has(series) && isTiled(pixelsOf(image, width, height), strip)) tiled.add(series);
  return tiled.has(series) ? strip : null;
}

/** Draws the tiles of a strip row by row, pixel by pixel. What the last row does not fill is no picture. */
export function drawTiles(canvas: HTMLCanvasElement, image: HTMLImageElement, { tiles, side, isTall }: ImageStrip, columns: number): void {
  const rows = Math.ceil(tiles / columns);
  canvas.width = columns * side;
  canvas.height = rows * side;
  const [right, bottom] = [100 * (1 - (rows * columns - tiles) / columns), 100 * (1 - 1 / rows)];
  if (right < 100) canvas.style.clipPath = `polygon(0 0, 100% 0, 100% ${bottom}%, ${right}% ${bottom}%, ${right}% 100%, 0 100%)`;
  const context = canvas.getContext("2d")!;
  for (let tile = 0; tile < tiles; tile++) {
    const [x, y] = isTall ? [0, tile * side] : [tile * side, 0];
    context.drawImage(image, x, y, side, side, (tile % columns) * side, Math.floor(tile / columns) * side, side, side);
  }
}

function pixelsOf(image: HTMLImageElement, width: number, height: number): Uint8ClampedArray {
  const context = new OffscreenCanvas(width, height).getContext("2d")!;
  context.drawImage(image, 0, 0);
  return context.getImageData(0, 0, width, height).data;
}
