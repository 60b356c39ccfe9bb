// SPDX-License-Identifier: Apache-2.0
import type { LinePath } from "../../core/series/curvePath";

/** The part of a canvas context that charts are painted with. A canvas and an SvgContext implement it. */
export interface Surface
  extends
    LinePath,
    Pick<
      CanvasRenderingContext2D,
      | "fillStyle"
      | "strokeStyle"
      | "globalAlpha"
      | "lineWidth"
      | "lineJoin"
      | "lineCap"
      | "font"
      | "textAlign"
      | "textBaseline"
      | "save"
      | "restore"
      | "translate"
      | "rotate"
      | "setLineDash"
      | "closePath"
      | "beginPath"
      | "rect"
      | "arc"
      | "fillRect"
      | "fillText"
      | "strokeText"
    > {
  clip(): void;
  fill(): void;
  stroke(): void;
  measureText(text: string): { width: number };
}

/** Resolves a CSS color, tokens included, for a surface. */
export type Ink = (color: string) => string;

/** Pixels have faster ways for lines of many joints and for many lines. */
export function isCanvas(surface: Surface): surface is CanvasRenderingContext2D {
  return "canvas" in surface;
}

export function segment(path: LinePath, fromX: number, fromY: number, toX: number, toY: number): void {
  path.moveTo(fromX, fromY);
  path.lineTo(toX, toY);
}

/** Aligns a line of one pixel with the pixels of a screen that has `ratio` of them for each CSS pixel. */
export function crisp(place: number, ratio: number): number {
  return (Math.round(place * ratio) + (Math.round(ratio) % 2) / 2) / ratio;
}
