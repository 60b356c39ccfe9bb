// SPDX-License-Identifier: Apache-2.0
import { hexToRgb } from "../../core/scales/colorMap";
import type { ThemeColors } from "../frame/themeColors";
import type { TimelineColors } from "./timelinePicture";

export const SLICE_COLORS = 10;

export function timelineColors(theme: ThemeColors): TimelineColors {
  const tens = (token: string): string[] => Array.from({ length: SLICE_COLORS }, (_, index) => theme.hex(`var(--${token}-${index})`));
  const slices = tens("slice");
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
    slices,
    lines: tens("series"),
    packed: Uint32Array.from(slices, (hex) => {
      const [red, green, blue] = hexToRgb(hex);
      return (blue << 16) | (green << 8) | red;
    }),
  };
}
