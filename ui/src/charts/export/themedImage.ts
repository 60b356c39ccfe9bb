// SPDX-License-Identifier: Apache-2.0
import type { Rgb } from "../../core/scales/colorMap";

export type Scheme = "light" | "dark";

/** A picture for readers of either theme, as data URLs. */
export interface ThemedImage {
  light: string;
  dark: string;
}

/** Paints an image once per theme; `paint` gets a function that resolves CSS colors in that theme. */
export function themedImage(paint: (rgb: (color: string) => Rgb) => HTMLCanvasElement): ThemedImage {
  return { light: inScheme("light", paint), dark: inScheme("dark", paint) };
}

function inScheme(scheme: Scheme, paint: (rgb: (color: string) => Rgb) => HTMLCanvasElement): string {
  const probe = document.createElement("span");
  probe.hidden = true;
  probe.style.colorScheme = scheme;
  document.body.append(probe);
  try {
    return paint((color) => rgbOf(probe, color)).toDataURL();
  } finally {
    probe.remove();
  }
}

/** The color as the browser would paint it. */
function rgbOf(probe: HTMLElement, color: string): Rgb {
  probe.style.color = color;
  const ctx = document.createElement("canvas").getContext("2d", { willReadFrequently: true })!;
  ctx.fillStyle = getComputedStyle(probe).color;
  ctx.fillRect(0, 0, 1, 1);
  const [red, green, blue] = ctx.getImageData(0, 0, 1, 1).data;
  return [red!, green!, blue!];
}
