// SPDX-License-Identifier: Apache-2.0
/** A pixel that one line covers wholly. */
export const FULL = 8;
/** Largest value of a color channel. */
export const CHANNEL_MAX = 127;
/** Two sums in one number: the first in units of this. Exact up to 65,000 lines through a pixel. */
const UNIT = 2 ** 26;
const PER_UNIT = 1 / UNIT;
const FIXED = 65536;
const FRACTION_SHIFT = 13;
const FRACTION_MASK = FULL - 1;

/** Three channels of each line, from 0 to CHANNEL_MAX. */
export type LineChannels = Uint8Array;

/**
 * Sums of the lines between two axes, for each pixel: how much of it they cover, and their color channels. Lines are
 * anti-aliased and may be taken away again, so that a changed selection costs as much as the lines that changed.
 *
 * Source: Wu, "An Efficient Antialiasing Technique", 1991.
 */
export class LineRaster {
  readonly width: number;
  readonly height: number;
  /** Two numbers a pixel, row by row: coverage and first channel, second and third channel. */
  readonly #sums: Float64Array;

  constructor(width: number, height: number) {
    this.width = width;
    this.height = height;
    this.#sums = new Float64Array(2 * width * (height + 1) + 2);
  }

  clear(): void {
    this.#sums.fill(0);
  }

  copy(other: LineRaster): void {
    this.#sums.set(other.#sums);
  }

  /** Adds a line, or takes it away with -1, from a pixel row in the first column to one in the last column. */
  add(from: number, to: number, channels: LineChannels, line: number, sign: 1 | -1): void {
    const first = sign * (UNIT + channels[3 * line]!);
    const second = sign * (channels[3 * line + 1]! * UNIT + channels[3 * line + 2]!);
    if (Math.abs(to - from) <= this.width) this.#addFlat(from, to, first, second);
    else this.#addSteep(from, to, first, second);
  }

  /** One step a column. */
  #addFlat(from: number, to: number, first: number, second: number): void {
    const [sums, width] = [this.#sums, this.width];
    const slope = width > 1 ? (to - from) / (width - 1) : 0;
    const step = Math.round(slope * FIXED);
    // the sum of rounded steps must not fall above the first row
    let y = Math.round(from * FIXED) + width;
    for (let x = 0; x < width; x++, y += step) {
      const part = (y >> FRACTION_SHIFT) & FRACTION_MASK;
      const at = 2 * ((y >> 16) * width + x);
      const below = at + 2 * width;
      sums[at]! += (FULL - part) * first;
      sums[at + 1]! += (FULL - part) * second;
      sums[below]! += part * first;
      sums[below + 1]! += part * second;
    }
  }

  /** One step a row. */
  #addSteep(from: number, to: number, first: number, second: number): void {
    const [sums, width] = [this.#sums, this.width];
    const [top, bottom] = from < to ? [from, to] : [to, from];
    const slope = (width - 1) / (to - from);
    const [start, end] = [Math.ceil(top), Math.floor(bottom)];
    const step = Math.trunc(slope * FIXED);
    let x = Math.trunc((start - from) * slope * FIXED) + 1;
    for (let row = start; row <= end; row++, x += step) {
      const part = (x >> FRACTION_SHIFT) & FRACTION_MASK;
      const at = 2 * (row * width + (x >> 16));
      sums[at]! += (FULL - part) * first;
      sums[at + 1]! += (FULL - part) * second;
      sums[at + 2]! += part * first;
      sums[at + 3]! += part * second;
    }
  }

  /** Coverage of a pixel, in units of FULL for each line. */
  coverage(pixel: number): number {
    return Math.floor(this.#sums[2 * pixel]! * PER_UNIT);
  }

  /** Sum of a channel in a pixel, weighted by coverage. */
  channel(pixel: number, index: 0 | 1 | 2): number {
    const sum = this.#sums[2 * pixel + (index === 0 ? 0 : 1)]!;
    const upper = Math.floor(sum * PER_UNIT);
    return index === 1 ? upper : sum - upper * UNIT;
  }

  /** Coverage of all pixels. */
  coverages(): Uint32Array {
    return Uint32Array.from({ length: this.width * this.height }, (_, pixel) => this.coverage(pixel));
  }
}
