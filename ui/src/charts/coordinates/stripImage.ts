// SPDX-License-Identifier: Apache-2.0
import type { Rgb } from "../../core/scales/colorMap";
import { mapColor } from "../../core/lineage/lineColors";
import { CHANNEL_MAX, FULL, type LineRaster } from "../../core/lineage/lineRaster";
import type { LineStrip } from "../../core/lineage/lineStrip";

/** Colors of a strip, resolved in a theme. */
export interface StripLook {
  /** Colors of the map, if lines have shares of it; null if they have colors of their own. */
  stops: readonly Rgb[] | null;
  /** Lines without a color, and lines that are not selected. */
  gray: Rgb;
}

/** More lines than this in a pixel look like this. */
const LUT_LINES = 64;
const GRAY_OPACITY = 0.3;

/** Opacity of one of many lines, so that dense places show their density: 1 for few, less for each of thousands. */
export function lineOpacity(count: number): number {
  return Math.max(0.05, Math.min(0.92, 20 / Math.max(1, count) ** 0.6));
}

/** Opacity by coverage, as of strokes one over the other. */
function opacities(count: number, most: number): Float32Array {
  const opacity = lineOpacity(count);
  return Float32Array.from({ length: FULL * LUT_LINES + 1 }, (_, coverage) => most * (1 - (1 - opacity) ** (coverage / FULL)));
}

function ramp(stops: readonly Rgb[]): Rgb[] {
  return Array.from({ length: CHANNEL_MAX + 1 }, (_, index) => mapColor(stops, index / CHANNEL_MAX));
}

/** Paints selected lines in the mean of their colors over all other lines in gray. */
export function paintStrip(strip: LineStrip, image: ImageData, { stops, gray }: StripLook): void {
  const pixels = new Uint32Array(image.data.buffer);
  const { coverages, selected, selectedCount, count } = strip;
  const [bright, pale] = [opacities(selectedCount, 1), opacities(count - selectedCount, GRAY_OPACITY)];
  const colors = stops && ramp(stops);
  const most = bright.length - 1;
  const grays = Uint32Array.from(pale, (opacity) => packed(gray[0], gray[1], gray[2], opacity));
  for (let pixel = 0; pixel < pixels.length; pixel++) {
    const whole = coverages[pixel]!;
    if (whole === 0) {
      pixels[pixel] = 0;
      continue;
    }
    const coverage = selected.coverage(pixel);
    const rest = Math.min(most, whole - coverage);
    if (coverage === 0) {
      pixels[pixel] = grays[rest]!;
      continue;
    }
    const front = bright[Math.min(most, coverage)]!;
    const back = pale[rest]! * (1 - front);
    pixels[pixel] = colors
      ? mapped(selected, pixel, coverage, colors, gray, front, back)
      : mean(selected, pixel, coverage, gray, front, back);
  }
}

function mapped(
  raster: LineRaster,
  pixel: number,
  coverage: number,
  colors: readonly Rgb[],
  gray: Rgb,
  front: number,
  back: number,
): number {
  const colored = raster.channel(pixel, 0);
  const color = colored === 0 ? gray : colors[Math.min(CHANNEL_MAX, Math.round((raster.channel(pixel, 1) / colored) * CHANNEL_MAX))]!;
  const part = colored / (CHANNEL_MAX * coverage);
  return over(mix(color[0], gray[0], part), mix(color[1], gray[1], part), mix(color[2], gray[2], part), gray, front, back);
}

function mean(raster: LineRaster, pixel: number, coverage: number, gray: Rgb, front: number, back: number): number {
  const scale = 255 / (CHANNEL_MAX * coverage);
  return over(raster.channel(pixel, 0) * scale, raster.channel(pixel, 1) * scale, raster.channel(pixel, 2) * scale, gray, front, back);
}

function mix(one: number, other: number, part: number): number {
  return one * part + other * (1 - part);
}

function over(red: number, green: number, blue: number, gray: Rgb, front: number, back: number): number {
  const opacity = front + back;
  const part = front / opacity;
  return packed(mix(red, gray[0], part), mix(green, gray[1], part), mix(blue, gray[2], part), opacity);
}

/** Red in the lowest byte, as the memory of all machines that run browsers has it. */
function packed(red: number, green: number, blue: number, opacity: number): number {
  return ((Math.round(opacity * 255) << 24) | (Math.round(blue) << 16) | (Math.round(green) << 8) | Math.round(red)) >>> 0;
}
