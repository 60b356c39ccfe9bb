// SPDX-License-Identifier: Apache-2.0
import { columnSpan, waveform, type Waveform } from "../../core/series/waveform";
import type { Picture } from "../frame/picture";
import type { Size } from "../frame/plotFrame";
import type { Surface } from "../frame/surface";

/** A sound from its beginning to its end; `colorAt` is the color of a place, from 0 to 1. `ratio`: pixels for a CSS pixel. */
export function paintWaveform(
  surface: Surface,
  { low, high }: Waveform,
  { width, height }: Size,
  ratio: number,
  colorAt: (share: number) => string,
): void {
  const each = width / low.length;
  low.forEach((least, column) => {
    const { top, bottom } = columnSpan(least, high[column]!, height, 1);
    surface.fillStyle = colorAt((column + 0.5) / low.length);
    surface.fillRect(column * each, top, Math.max(1 / ratio, each), bottom - top);
  });
}

/** The whole sound in one color, to be saved. */
export function waveformPicture(samples: Float32Array, color: string, size: Size, title: string): Picture {
  return {
    title,
    size,
    paint: (surface, ratio, ink) => {
      const whole = ink(color);
      paintWaveform(surface, waveform(samples, Math.round(size.width * ratio)), size, ratio, () => whole);
    },
  };
}
