// SPDX-License-Identifier: Apache-2.0
import { expect, onTestFinished, test } from "vitest";

import "../../styles/tokens.css";
import { hexToRgb } from "../../core/scales/colorMap";
import { ThemeColors } from "../frame/themeColors";
import { SLICE_COLORS, timelineColors } from "./timelineColors";

const LEAST = 4.5;

/** Relative luminance of WCAG 2. */
function luminance(hex: string): number {
  const [red, green, blue] = hexToRgb(hex).map((part) => {
    const share = part / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  }) as [number, number, number];
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function contrast(one: string, other: string): number {
  const [dark, light] = [luminance(one), luminance(other)].sort((left, right) => left - right) as [number, number];
  return (light + 0.05) / (dark + 0.05);
}

test.each(["light", "dark"])("texts on slices are legible in the %s theme, and slices differ", (theme) => {
  document.documentElement.dataset.theme = theme;
  const colors = new ThemeColors(document.body);
  colors.forget();
  onTestFinished(() => {
    colors.remove();
    delete document.documentElement.dataset.theme;
  });
  const { slices } = timelineColors(colors);
  const ink = colors.hex("var(--ink)");
  expect(new Set(slices).size).toBe(SLICE_COLORS);
  for (const slice of slices) expect(contrast(slice, ink)).toBeGreaterThan(LEAST);
});
