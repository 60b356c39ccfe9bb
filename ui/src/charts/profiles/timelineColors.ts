// SPDX-License-Identifier: Apache-2.0
import { hexToRgb } from "../../core/scales/colorMap";
import type { ThemeColors } from "../frame/themeColors";
import type { TimelineColors } from "./timelinePicture";

const SLICE_COLORS = 10;
/** From this lightness on (0 to 255), black text has more contrast than white. */
const LIGHT = 140;

export function timelineColors(theme: ThemeColors): TimelineColors {
  const hexes = Array.from({ length: SLICE_COLORS }, (_, index) => theme.hex(`var(--series-${index})`));
  const parts = hexes.map((hex) => hexToRgb(hex));
  return {
    paper: theme.resolve("var(--paper)"),
    side: theme.resolve("var(--paper-side)"),
    ink: theme.resolve("var(--ink)"),
    soft: theme.resolve("var(--ink-soft)"),
    hairline: theme.resolve("var(--hairline)"),
    grid: theme.resolve("var(--grid-line)"),
    accent: theme.resolve("var(--accent)"),
    wash: theme.resolve("var(--accent-wash)"),
    warn: theme.resolve("var(--warn)"),
    slices: hexes,
    texts: parts.map(([red, green, blue]) => (0.299 * red + 0.587 * green + 0.114 * blue >= LIGHT ? "#16181d" : "#ffffff")),
    packed: Uint32Array.from(parts, ([red, green, blue]) => (blue << 16) | (green << 8) | red),
  };
}
