// SPDX-License-Identifier: Apache-2.0
import { colourAt, type Rgb } from "../core/colourMap";
import { shareOf, type ColourRange, type Heat } from "../core/heat";

export const MAP = ["--map-0", "--map-1", "--map-2", "--map-3", "--map-4", "--map-5"];
/** Colours of NaN, +Inf and -Inf, which must not look like any number. */
export const ODD_COLOURS = ["var(--series-3)", "var(--series-1)", "var(--ink)"] as const;

/** A heat map of one pixel a cell; `range` is what the ends of the colours stand for, `rgb` knows the CSS colours of a theme. */
export function cellsCanvas(heat: Heat, range: ColourRange | null, rgb: (colour: string) => Rgb): HTMLCanvasElement {
  const [rows, columns] = heat.cells;
  const stops = MAP.map((token) => rgb(`var(${token})`));
  const odd = ODD_COLOURS.map(rgb);
  const { low, high } = range ?? { low: 0, high: 0 };
  return pixelCanvas(rows, columns, (cell) => (heat.odd[cell]! > 0 ? odd[heat.odd[cell]! - 1]! : colourAt(stops, shareOf(heat.value[cell]!, low, high))));
}

/** One pixel a cell, row by row; null leaves a cell empty. */
export function pixelCanvas(rows: number, columns: number, colourOf: (cell: number) => Rgb | null): HTMLCanvasElement {
  const canvas = document.createElement("canvas");
  canvas.width = columns;
  canvas.height = rows;
  const ctx = canvas.getContext("2d")!;
  const picture = ctx.createImageData(columns, rows);
  const { data } = picture;
  for (let cell = 0; cell < rows * columns; cell++) {
    const colour = colourOf(cell);
    if (!colour) continue;
    [data[4 * cell], data[4 * cell + 1], data[4 * cell + 2]] = colour;
    data[4 * cell + 3] = 255;
  }
  ctx.putImageData(picture, 0, 0);
  return canvas;
}
