// SPDX-License-Identifier: Apache-2.0
import { axisPositions, type Axis, type Range } from "./axis";
import { bucketAt, bucketExtent, finiteCount, quantiles, spreadRow, type Histograms, type Shape } from "./histograms";

/** Shares of the values that bound the bands, from the outside in; the middle one is the median. */
export const BAND_SHARES = [0, 0.07, 0.16, 0.31, 0.5, 0.69, 0.84, 0.93, 1];

export interface Area {
  left: number;
  top: number;
  width: number;
  height: number;
}

/** A bucket of a step. */
export interface Place {
  row: number;
  /** -1 in a step without finite values. */
  bucket: number;
}

const LANES = 4;
const COMPRESSION = 1 / 3;

/** Where everything of some histograms stands in an area of pixels: what drawing and pointing agree on. */
export class HistogramView {
  readonly histograms: Histograms;
  readonly shape: Shape;
  readonly area: Area;
  /** Positions of the steps on their axis. */
  readonly positions: Float64Array;
  readonly stepRange: Range;
  readonly valueRange: Range;
  /** Counts by row and pixel along the values, summing up to the counts of the buckets. */
  readonly spread: readonly Float64Array[];
  /** Largest count in a pixel: of each row, and of all. */
  readonly peaks: readonly number[];
  readonly peak: number;

  constructor(histograms: Histograms, shape: Shape, axis: Axis, area: Area) {
    this.histograms = histograms;
    this.shape = shape;
    this.area = area;
    this.positions = axisPositions(axis, histograms, histograms.startWallTime);
    this.stepRange = [this.positions[0] ?? 0, this.positions[this.positions.length - 1] ?? 0];
    this.valueRange = bucketExtent(histograms) ?? [0, 1];
    const pixels = Math.max(1, Math.floor(this.isValueAcross ? area.width : area.height));
    this.spread = Array.from(this.positions, (_, row) => spreadRow(histograms, row, this.valueRange, pixels));
    this.peaks = this.spread.map((counts) => counts.reduce((peak, count) => Math.max(peak, count), 0));
    this.peak = Math.max(Number.MIN_VALUE, ...this.peaks);
  }

  /** Values from left to right, as seen from the front; else steps from left to right. */
  get isValueAcross(): boolean {
    return this.shape === "ridge" || this.shape === "front";
  }

  /** Height of the tallest outline. */
  get lane(): number {
    if (this.shape === "front") return this.area.height * 0.94;
    const spacing = this.area.height / Math.max(1, this.positions.length);
    return Math.min(this.area.height * 0.6, Math.max(this.area.height * 0.22, LANES * spacing));
  }

  /** Pixel of a value. */
  valueAt(value: number): number {
    const share = (value - this.valueRange[0]) / (this.valueRange[1] - this.valueRange[0]);
    return this.isValueAcross ? this.area.left + share * this.area.width : this.area.top + (1 - share) * this.area.height;
  }

  /** Pixel of a position on the axis of steps: the baseline of a ridge, the middle of a column. */
  stepAt(position: number): number {
    const [low, high] = this.stepRange;
    const share = high > low ? (position - low) / (high - low) : 1;
    const { left, top, width, height } = this.area;
    if (this.shape === "front") return top + height;
    if (this.shape === "ridge") return top + this.lane + share * (height - this.lane);
    if (this.shape === "bands") return high > low ? left + share * width : left + width / 2;
    const half = width / (2 * Math.max(1, this.positions.length));
    return left + half + (high > low ? share : 0.5) * (width - 2 * half);
  }

  /** Left and right pixel of a row's column: half way to the neighbours. */
  columnOf(row: number): Range {
    const at = (index: number): number => this.stepAt(this.positions[index]!);
    const { left, width } = this.area;
    const last = this.positions.length - 1;
    return [row === 0 ? left : (at(row - 1) + at(row)) / 2, row === last ? left + width : (at(row) + at(row + 1)) / 2];
  }

  /** Heights within a row are to scale. Between rows they are compressed, or one narrow row would flatten all others. */
  heightAt(row: number, pixel: number): number {
    const peak = this.peaks[row]!;
    if (peak === 0) return 0;
    const height = this.lane * (peak / this.peak) ** COMPRESSION;
    return ((this.spread[row]![pixel] ?? 0) / peak) * height;
  }

  /** Place of a count in the colour map, compressed likewise. */
  shadeAt(row: number, pixel: number): number {
    return (this.spread[row]![pixel]! / this.peak) ** COMPRESSION;
  }

  bands(row: number): number[] {
    return quantiles(this.histograms, row, BAND_SHARES);
  }

  isEmpty(row: number): boolean {
    return finiteCount(this.histograms, row) === 0;
  }

  /** What stands under a pixel; null outside of the area. */
  placeAt(x: number, y: number): Place | null {
    const { left, top, width, height } = this.area;
    if (this.positions.length === 0 || x < left || x > left + width || y < top || y > top + height) return null;
    const row = this.isValueAcross ? this.#outlineAt(Math.floor(x - left), y) : this.#columnAt(x);
    const share = this.isValueAcross ? (x - left) / width : 1 - (y - top) / height;
    const value = this.valueRange[0] + share * (this.valueRange[1] - this.valueRange[0]);
    return { row, bucket: bucketAt(this.histograms, row, value) };
  }

  /** The outline in front that covers the pixel; else the one whose baseline or edge is nearest. */
  #outlineAt(pixel: number, y: number): number {
    let [best, distance] = [0, Infinity];
    for (let row = this.positions.length - 1; row >= 0; row--) {
      const base = this.stepAt(this.positions[row]!);
      const top = base - this.heightAt(row, pixel);
      if (this.shape === "ridge" && y <= base && y >= top) return row;
      const away = this.shape === "front" ? Math.abs(y - top) : Math.abs(y - base);
      if (away < distance) [best, distance] = [row, away];
    }
    return best;
  }

  #columnAt(x: number): number {
    let [best, distance] = [0, Infinity];
    this.positions.forEach((position, row) => {
      const away = Math.abs(this.stepAt(position) - x);
      if (away < distance) [best, distance] = [row, away];
    });
    return best;
  }
}
