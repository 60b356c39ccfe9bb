// SPDX-License-Identifier: Apache-2.0
import type { Rgb } from "../core/colourMap";

export type Scheme = "light" | "dark";

/** A picture for readers of either theme, as data URLs. */
export interface ThemedPicture {
  light: string;
  dark: string;
}

/** Paints a picture once for each theme; `paint` is told how CSS colours, tokens included, look in it. */
export function themedPicture(paint: (rgb: (colour: string) => Rgb) => HTMLCanvasElement): ThemedPicture {
  return { light: inScheme("light", paint), dark: inScheme("dark", paint) };
}

function inScheme(scheme: Scheme, paint: (rgb: (colour: string) => Rgb) => HTMLCanvasElement): string {
  const probe = document.createElement("span");
  probe.hidden = true;
  probe.style.colorScheme = scheme;
  document.body.append(probe);
  try {
    return paint((colour) => rgbOf(probe, colour)).toDataURL();
  } finally {
    probe.remove();
  }
}

/** The colour as the browser would paint it. */
function rgbOf(probe: HTMLElement, colour: string): Rgb {
  probe.style.color = colour;
  const ctx = document.createElement("canvas").getContext("2d", { willReadFrequently: true })!;
  ctx.fillStyle = getComputedStyle(probe).color;
  ctx.fillRect(0, 0, 1, 1);
  const [red, green, blue] = ctx.getImageData(0, 0, 1, 1).data;
  return [red!, green!, blue!];
}
