// SPDX-License-Identifier: Apache-2.0
import { LineRaster, type LineChannels } from "./lineRaster";

/** Lines between two neighboring axes: all of them, and the selected ones, as rasters that follow the selection. */
export class LineStrip {
  readonly #all: LineRaster;
  /** How much all lines cover each pixel. */
  readonly coverages: Uint32Array;
  readonly selected: LineRaster;
  /** Pixel rows of the lines at both axes. */
  readonly #from: ArrayLike<number>;
  readonly #to: ArrayLike<number>;
  readonly #channels: LineChannels;
  /** Lines in `selected`. */
  readonly #drawn: Uint8Array;
  #selectedCount: number;

  /** Pixel rows are below `height`. */
  constructor(width: number, height: number, from: ArrayLike<number>, to: ArrayLike<number>, channels: LineChannels) {
    this.#from = from;
    this.#to = to;
    this.#channels = channels;
    this.#all = new LineRaster(width, height);
    this.selected = new LineRaster(width, height);
    this.#drawn = new Uint8Array(from.length).fill(1);
    for (let line = 0; line < from.length; line++) this.#add(this.#all, line, 1);
    this.coverages = this.#all.coverages();
    this.selected.copy(this.#all);
    this.#selectedCount = from.length;
  }

  get count(): number {
    return this.#drawn.length;
  }

  get selectedCount(): number {
    return this.#selectedCount;
  }

  /** Selects the lines with 1. Starts from nothing, from all lines or from the last selection: whichever needs fewest lines. */
  select(passing: Uint8Array): void {
    const { changed, count } = compared(passing, this.#drawn);
    const rest = passing.length - count;
    if (Math.min(count, rest) < changed) this.#restart(count <= rest);
    for (let line = 0; line < passing.length; line++) {
      if (passing[line] === this.#drawn[line]) continue;
      this.#add(this.selected, line, passing[line] === 1 ? 1 : -1);
    }
    this.#drawn.set(passing);
    this.#selectedCount = count;
  }

  #restart(isEmpty: boolean): void {
    if (isEmpty) this.selected.clear();
    else this.selected.copy(this.#all);
    this.#drawn.fill(isEmpty ? 0 : 1);
  }

  #add(raster: LineRaster, line: number, sign: 1 | -1): void {
    raster.add(this.#from[line]!, this.#to[line]!, this.#channels, line, sign);
  }
}

/** How many lines are selected, and how many of all were not before or no more. */
function compared(passing: Uint8Array, drawn: Uint8Array): { changed: number; count: number } {
  let [changed, count] = [0, 0];
  for (let line = 0; line < passing.length; line++) {
    if (passing[line] !== drawn[line]) changed++;
    if (passing[line] === 1) count++;
  }
  return { changed, count };
}
