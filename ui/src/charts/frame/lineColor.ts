// SPDX-License-Identifier: Apache-2.0
import { channelsOf, mapColor, NO_COLOR, type LineColors } from "../../core/lineage/lineColors";
import type { LineChannels } from "../../core/lineage/lineRaster";
import { hexToRgb, MAP, rgbText, type Rgb } from "../../core/scales/colorMap";
import type { Ink } from "./surface";
import type { ThemeColors } from "./themeColors";

/** Colors of runs, resolved in a theme. */
export interface LineLook {
  colors: LineColors;
  channels: LineChannels;
  /** Colors of the map, and of gray lines. */
  stops: readonly Rgb[];
  gray: Rgb;
  ink: Ink;
}

export function lineLook(colors: LineColors, theme: ThemeColors): LineLook {
  const rgb = (color: string): Rgb => hexToRgb(theme.hex(color));
  return { colors, channels: channelsOf(colors, rgb), stops: MAP.map(rgb), gray: rgb(NO_COLOR), ink: (color) => theme.resolve(color) };
}

/** The color of a run for a surface. */
export function lineColor(colors: LineColors, line: number, stops: readonly Rgb[], ink: Ink): string {
  if ("colors" in colors) return ink(colors.colors[line]!);
  const share = colors.shares[line]!;
  return Number.isNaN(share) ? ink(NO_COLOR) : rgbText(mapColor(stops, share));
}
