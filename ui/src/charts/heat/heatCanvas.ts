// SPDX-License-Identifier: Apache-2.0
import { colorAt, MAP, type Rgb } from "../../core/scales/colorMap";
import { shareOf, type ColorRange, type Heat } from "../../core/series/heat";

/** Colors of NaN, +Inf and -Inf, which must not look like any number. */
export const ODD_COLORS = ["var(--series-3)", "var(--series-1)", "var(--ink)"] as const;

/** A heat map of one pixel per cell; `range` is the numbers at the ends of the color scale, `rgb` resolves CSS colors in a theme. */
export function heatCanvas(heat: Heat, range: ColorRange | null, rgb: (color: string) => Rgb): HTMLCanvasElement {
  const [rows, columns] = heat.cells;
  const stops = MAP.map(rgb);
  const odd = ODD_COLORS.map(rgb);
  const { low, high } = range ?? { low: 0, high: 0 };
  return pixelCanvas(rows, columns, (cell) =>
    heat.odd[cell]! > 0 ? odd[heat.odd[cell]! - 1]! : colorAt(stops, shareOf(heat.value[cell]!, low, high)),
  );
}

/** One pixel a cell, row by row; null leaves a cell empty. */
export function pixelCanvas(rows: number, columns: number, colorOf: (cell: number) => Rgb | null): HTMLCanvasElement {
  const canvas = document.createElement("canvas");
  canvas.width = columns;
  canvas.height = rows;
  const ctx = canvas.getContext("2d")!;
  const picture = ctx.createImageData(columns, rows);
  const { data } = picture;
  for (let cell = 0; cell < rows * columns; cell++) {
    const color = colorOf(cell);
    if (!color) continue;
    [data[4 * cell], data[4 * cell + 1], data[4 * cell + 2]] = color;
    data[4 * cell + 3] = 255;
  }
  ctx.putImageData(picture, 0, 0);
  return canvas;
}
