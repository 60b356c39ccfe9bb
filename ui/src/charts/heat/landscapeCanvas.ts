// SPDX-License-Identifier: Apache-2.0
import { colorAt, MAP, type Rgb } from "../../core/scales/colorMap";
import { shareOf } from "../../core/series/heat";
import { pixelCanvas } from "./heatCanvas";

/** One pixel a loss, the first row at the bottom. The color goes with the root, for losses rise steeply at the edges. */
export function landscapeCanvas(losses: readonly (readonly (number | null)[])[], rgb: (color: string) => Rgb): HTMLCanvasElement {
  const all = losses.flat().filter((loss): loss is number => loss !== null);
  const [low, high] = [Math.min(...all), Math.max(...all)];
  const stops = MAP.map(rgb);
  const columns = losses[0]?.length ?? 0;
  return pixelCanvas(losses.length, columns, (cell) => {
    const loss = losses[losses.length - 1 - Math.floor(cell / columns)]![cell % columns] ?? null;
    return loss === null ? null : colorAt(stops, Math.sqrt(shareOf(loss, low, high)));
  });
}

interface Path {
  x: readonly number[];
  y: readonly number[];
  pathX: readonly number[];
  pathY: readonly number[];
}

/** The points of the training over the map, as shares of its sides from the top left. */
export function pathOver({ x, y, pathX, pathY }: Path): { x: number; y: number }[] {
  const along = (value: number, places: readonly number[]): number => shareOf(value, Math.min(...places), Math.max(...places));
  return pathX.map((value, step) => ({ x: along(value, x), y: 1 - along(pathY[step]!, y) }));
}
