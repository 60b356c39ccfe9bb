// SPDX-License-Identifier: Apache-2.0
import { TICK_FONT } from "./axes";

let ruler: CanvasRenderingContext2D | null = null;

/** Width of a label beside an axis, in CSS pixels. */
export function labelWidth(label: string): number {
  ruler ??= document.createElement("canvas").getContext("2d")!;
  ruler.font = TICK_FONT;
  return ruler.measureText(label).width;
}
