// SPDX-License-Identifier: Apache-2.0
import { colorAt, hexToRgb, MAP, type Rgb } from "../scales/colorMap";

export const COLOR_MAPS = ["page", "viridis", "plasma", "cividis", "turbo", "RdBu", "gray"] as const;
export type ColorMapName = (typeof COLOR_MAPS)[number];

/**
 * Equally spaced colors of known maps, from matplotlib 3.10; RdBu from ColorBrewer, blue for low losses. The page's own map
 * follows the theme.
 */
const STOPS: Readonly<Record<Exclude<ColorMapName, "page">, string>> = {
  viridis: "440154 482878 3e4989 31688e 26828e 1f9e89 35b779 6ece58 b5de2b fde725",
  plasma: "0d0887 46039f 7201a8 9c179e bd3786 d8576b ed7953 fb9f3a fdca26 f0f921",
  cividis: "00224e 123570 3b496c 575d6d 707173 8a8678 a59c74 c3b369 e1cc55 fee838",
  turbo: "30123b 4662d7 36aaf9 1ae4b6 72fe5e c7ef34 faba39 f66b19 ca2a04 7a0403",
  RdBu: "053061 2166ac 4393c3 92c5de d1e5f0 f7f7f7 fddbc7 f4a582 d6604d b2182b 67001f",
  gray: "1a1a1a f2f2f2",
};

/** The colors of a map from the lowest to the highest loss; `rgb` resolves CSS colors. */
export function mapStops(name: ColorMapName, isReversed: boolean, rgb: (color: string) => Rgb): Rgb[] {
  const stops = name === "page" ? MAP.map(rgb) : STOPS[name].split(" ").map((hex) => hexToRgb(`#${hex}`));
  return isReversed ? stops.toReversed() : stops;
}

/** A color that stays readable over `stops[share]`: black or white. */
export function inkOver(stops: readonly Rgb[], share: number): "black" | "white" {
  const [red, green, blue] = colorAt(stops, share);
  return 0.299 * red + 0.587 * green + 0.114 * blue > 140 ? "black" : "white";
}

/** From dark to light in one color, for several surfaces in one picture. */
export function tints([red, green, blue]: Rgb): Rgb[] {
  const mixed = (to: number, part: number): Rgb => [
    Math.round(red + (to - red) * part),
    Math.round(green + (to - green) * part),
    Math.round(blue + (to - blue) * part),
  ];
  return [mixed(0, 0.35), [red, green, blue], mixed(255, 0.55)];
}
