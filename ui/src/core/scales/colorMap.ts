// SPDX-License-Identifier: Apache-2.0
export type Rgb = readonly [red: number, green: number, blue: number];

/** The color map of the page, from its low to its high end. */
export const MAP = Array.from({ length: 6 }, (_, index) => `var(--map-${index})`);

/** #rrggbb as numbers up to 255. */
export function hexToRgb(hex: string): Rgb {
  const bits = Number.parseInt(hex.slice(1), 16);
  return [(bits >> 16) & 255, (bits >> 8) & 255, bits & 255];
}

/** The color at a share from 0 to 1 of a map given by equally spaced colors; straight between two of them. */
export function colorAt(stops: readonly Rgb[], share: number): Rgb {
  const place = Math.min(1, Math.max(0, share)) * (stops.length - 1);
  const index = Math.min(stops.length - 2, Math.floor(place));
  const [from, to, part] = [stops[index]!, stops[index + 1]!, place - index];
  const mix = (channel: 0 | 1 | 2): number => Math.round(from[channel] + (to[channel] - from[channel]) * part);
  return [mix(0), mix(1), mix(2)];
}

export function rgbText([red, green, blue]: Rgb, alpha = 1): string {
  return `rgb(${red} ${green} ${blue} / ${alpha})`;
}
