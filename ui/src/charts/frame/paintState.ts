// SPDX-License-Identifier: Apache-2.0
import { TICK_FONT } from "./axes";

export type Style = CanvasRenderingContext2D["fillStyle"];

/** Pixels from the place of a text down to its baseline, at the size of ticks. */
const BASELINES: Partial<Record<CanvasTextBaseline, number>> = { top: 9, middle: 4 };
const FONT = /^(?:(?<weight>\d+) )?(?<size>[\d.]+)px/;

/** What `save` of a canvas keeps, for surfaces that write files. */
export class PaintState {
  fillStyle: Style = "#000";
  strokeStyle: Style = "#000";
  globalAlpha = 1;
  lineWidth = 1;
  lineJoin: CanvasLineJoin = "miter";
  lineCap: CanvasLineCap = "butt";
  font = TICK_FONT;
  textAlign: CanvasTextAlign = "left";
  textBaseline: CanvasTextBaseline = "alphabetic";
}

export function copyOf(state: PaintState): PaintState {
  const { fillStyle, strokeStyle, globalAlpha, lineWidth, lineJoin, lineCap, font, textAlign, textBaseline } = state;
  return { fillStyle, strokeStyle, globalAlpha, lineWidth, lineJoin, lineCap, font, textAlign, textBaseline };
}

/** Weight and size as the font says them. */
export function fontOf({ font }: PaintState): { weight?: string; size?: string } {
  return FONT.exec(font)?.groups ?? {};
}

export function baselineOf({ textBaseline }: PaintState): number {
  return BASELINES[textBaseline] ?? 0;
}
