// SPDX-License-Identifier: Apache-2.0
import { heatShare, type HeatScale } from "../../core/debugger/heatScale";
import { colorAt, MAP, type Rgb } from "../../core/scales/colorMap";
import { groupDigits } from "../../core/text/format";
import { TICK_FONT } from "../frame/axes";
import type { Ink } from "../frame/surface";
import { ODD_COLORS, pixelCanvas } from "./heatCanvas";

/** Tensors below each other, steps side by side. */
export interface TensorHeatPlot {
  rows: readonly string[];
  steps: ArrayLike<number>;
  /** Column by column; NaN for an empty cell. */
  value: ArrayLike<number>;
  /** 1 recorded, 2 NaN, 4 infinity. */
  bits: ArrayLike<number>;
  scale: HeatScale | null;
  /** Where the cells begin; the size of a cell; the width of all. In CSS pixels. */
  left: number;
  tall: number;
  wide: number;
  width: number;
}

/** Height of the steps below the cells. */
export const TENSOR_HEAT_BOTTOM = 22;
const [LETTER, HALF_LINE, NAN, INFINITY] = [7, 6, 2, 4];

export function paintTensorHeat(ctx: CanvasRenderingContext2D, ink: Ink, plot: TensorHeatPlot): void {
  const { rows, steps, value, bits, scale, left, tall, wide, width } = plot;
  const rgb = rgbReader(ink);
  const [stops, empty] = [MAP.map(rgb), rgb("var(--hover)")];
  const picture = pixelCanvas(rows.length, steps.length, (cell) => {
    const place = (cell % steps.length) * rows.length + Math.floor(cell / steps.length);
    const one = value[place]!;
    if (bits[place] === 0) return null;
    return scale && Number.isFinite(one) ? colorAt(stops, heatShare(one, scale)) : empty;
  });
  ctx.imageSmoothingEnabled = false;
  ctx.drawImage(picture, left, 0, width, tall * rows.length);
  paintFaults(ctx, ink(ODD_COLORS[0]), ink(ODD_COLORS[1]), plot);
  if (tall >= 8 && wide >= 8) paintGaps(ctx, ink("var(--paper)"), plot);
  paintWords(ctx, ink("var(--ink-soft)"), plot);
}

/** Colors as numbers, whatever their form. */
function rgbReader(ink: Ink): (color: string) => Rgb {
  const canvas = document.createElement("canvas");
  canvas.width = canvas.height = 1;
  const ctx = canvas.getContext("2d", { willReadFrequently: true })!;
  return (color) => {
    ctx.fillStyle = ink(color);
    ctx.fillRect(0, 0, 1, 1);
    const [red, green, blue] = ctx.getImageData(0, 0, 1, 1).data;
    return [red!, green!, blue!];
  };
}

function paintFaults(
  ctx: CanvasRenderingContext2D,
  nan: string,
  infinity: string,
  { rows, steps, bits, left, tall, wide }: TensorHeatPlot,
): void {
  for (let column = 0; column < steps.length; column++) {
    for (let row = 0; row < rows.length; row++) {
      const bit = bits[column * rows.length + row]!;
      if (bit < NAN) continue;
      const [x, y] = [Math.floor(left + column * wide), Math.floor(row * tall)];
      ctx.fillStyle = bit & NAN ? nan : infinity;
      ctx.fillRect(x, y, Math.max(2, Math.ceil(wide)), Math.max(2, Math.ceil(tall)));
      if (!(bit & NAN) || !(bit & INFINITY) || wide < 6) continue;
      ctx.fillStyle = infinity;
      ctx.beginPath();
      ctx.moveTo(x + wide, y);
      ctx.lineTo(x + wide, y + tall);
      ctx.lineTo(x, y + tall);
      ctx.fill();
    }
  }
}

function paintGaps(ctx: CanvasRenderingContext2D, paper: string, { rows, steps, left, tall, wide, width }: TensorHeatPlot): void {
  ctx.fillStyle = paper;
  for (let row = 1; row < rows.length; row++) ctx.fillRect(left, Math.round(row * tall) - 0.5, width, 1);
  for (let column = 1; column < steps.length; column++) ctx.fillRect(left + Math.round(column * wide) - 0.5, 0, 1, tall * rows.length);
}

function paintWords(ctx: CanvasRenderingContext2D, color: string, { rows, steps, left, tall, wide }: TensorHeatPlot): void {
  ctx.font = TICK_FONT;
  ctx.fillStyle = color;
  ctx.textBaseline = "middle";
  ctx.textAlign = "right";
  const every = Math.max(1, Math.ceil(13 / tall));
  for (let row = 0; row < rows.length; row += every)
    ctx.fillText(shortened(ctx, rows[row]!, left - 24), left - 8, Math.max(HALF_LINE, (row + 0.5) * tall));
  ctx.textAlign = "center";
  const longest = groupDigits(steps[steps.length - 1]!).length;
  const stride = Math.max(1, Math.ceil((LETTER * longest + 12) / wide));
  for (let column = 0; column < steps.length; column += stride)
    ctx.fillText(groupDigits(steps[column]!), left + (column + 0.5) * wide, tall * rows.length + TENSOR_HEAT_BOTTOM / 2 + 2);
}

/** Its end says most: the operator and its role. */
function shortened(ctx: CanvasRenderingContext2D, text: string, room: number): string {
  let width = ctx.measureText(text).width;
  let cut = 0;
  while (width > room && cut < text.length) {
    cut += Math.max(1, Math.floor((width - room) / LETTER));
    width = ctx.measureText(`…${text.slice(cut)}`).width;
  }
  return cut === 0 ? text : `…${text.slice(cut)}`;
}
