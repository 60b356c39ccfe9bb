// SPDX-License-Identifier: Apache-2.0
import { axisPositions, type Axis, type Range } from "../scales/axis";
import { bucketAt, bucketExtent, finiteCount, quantiles, readSteps, spreadRow, type Histograms, type Shape } from "./histograms";
import type { Box } from "../scales/zoom";

/** Shares of the values that bound the bands, from the outside in; the middle one is the median. */
export const BAND_SHARES = [0, 0.07, 0.16, 0.31, 0.5, 0.69, 0.84, 0.93, 1];

export interface Area {
  left: number;
  top: number;
  width: number;
  height: number;
}

/** A bucket of a row. */
export interface Place {
  row: number;
  /** -1 in a row without finite values. */
  bucket: number;
}

export interface Point {
  x: number;
  y: number;
}

/** What one chart draws; `both` is two of them. */
export type ChartShape = Exclude<Shape, "both">;

const LANES = 4;
const COMPRESSION = 1 / 3;
/** Pixels below which a drag does not choose along a direction. */
const CHOOSES = 16;

/** Pixel layout of histograms, shared by painting and hit testing. */
export class HistogramLayout {
  readonly histograms: Histograms;
  readonly shape: ChartShape;
  readonly area: Area;
  /** Positions of the first and the last step of each row on their axis, and the middle of both. */
  readonly starts: Float64Array;
  readonly ends: Float64Array;
  readonly positions: Float64Array;
  readonly stepRange: Range;
  readonly valueRange: Range;
  /** Counts by row and pixel along the values, of a step on average where steps are merged. */
  readonly spread: readonly Float64Array[];
  /** Largest count in a pixel: of each row, and of all. */
  readonly peaks: readonly number[];
  readonly peak: number;

  /** `values` is the range of values that is shown, null for all. */
  constructor(histograms: Histograms, shape: ChartShape, axis: Axis, area: Area, values: Range | null = null) {
    this.histograms = histograms;
    this.shape = shape;
    this.area = area;
    this.starts = axisPositions(axis, histograms, histograms.start_wall_time);
    const ends = { step: histograms.last_step, wall_time: histograms.last_wall_time };
    this.ends = axisPositions(axis, ends, histograms.start_wall_time);
    this.positions = this.starts.map((start, row) => start + (this.ends[row]! - start) / 2);
    this.stepRange = [this.positions[0] ?? 0, this.positions[this.positions.length - 1] ?? 0];
    this.valueRange = values ?? bucketExtent(histograms) ?? [0, 1];
    const pixels = Math.max(1, Math.floor(this.isValueHorizontal ? area.width : area.height));
    this.spread = Array.from(this.positions, (_, row) => {
      const steps = Math.max(1, readSteps(histograms, row));
      return spreadRow(histograms, row, this.valueRange, pixels).map((count) => count / steps);
    });
    this.peaks = this.spread.map((counts) => counts.reduce((peak, count) => Math.max(peak, count), 0));
    this.peak = this.peaks.reduce((peak, each) => Math.max(peak, each), Number.MIN_VALUE);
  }

  /** Values from left to right, as seen from the front; else steps from left to right. */
  get isValueHorizontal(): boolean {
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
    return this.isValueHorizontal ? this.area.left + share * this.area.width : this.area.top + (1 - share) * this.area.height;
  }

  /** Pixel of a position on the axis of steps: the baseline of a ridge, the middle of a column. */
  stepAt(position: number): number {
    const [low, high] = this.stepRange;
    const [start, size] = this.#stepPixels();
    return start + (high > low ? (position - low) / (high - low) : this.shape === "ridge" || this.shape === "front" ? 1 : 0.5) * size;
  }

  /** First pixel of the axis of steps, and its length: half a column of a heat map lies outside at each end. */
  #stepPixels(): Range {
    const { left, top, width, height } = this.area;
    if (this.shape === "front") return [top + height, 0];
    if (this.shape === "ridge") return [top + this.lane, height - this.lane];
    if (this.shape === "bands") return [left, width];
    const half = width / (2 * Math.max(1, this.positions.length));
    return [left + half, width - 2 * half];
  }

  /** Left and right pixel of a row's column: half way to the neighbors. */
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

  /** Place of a count in the color map, compressed likewise. */
  shadeAt(row: number, pixel: number): number {
    return (this.spread[row]![pixel]! / this.peak) ** COMPRESSION;
  }

  /** The count that has a place in the color map. */
  countAtShade(shade: number): number {
    return this.peak * shade ** (1 / COMPRESSION);
  }

  bands(row: number): number[] {
    return quantiles(this.histograms, row, BAND_SHARES);
  }

  isEmpty(row: number): boolean {
    return finiteCount(this.histograms, row) === 0;
  }

  /** The bucket at a pixel; null outside the area. */
  placeAt(x: number, y: number): Place | null {
    const { left, top, width, height } = this.area;
    if (this.positions.length === 0 || x < left || x > left + width || y < top || y > top + height) return null;
    const row = this.isValueHorizontal ? this.#outlineAt(Math.floor(x - left), y) : this.#rowAt(x);
    return { row, bucket: bucketAt(this.histograms, row, this.#valueOf({ x, y })) };
  }

  /** The pixels that a drag from one point to another chooses: everything along a direction in which it is short. */
  dragged(from: Point, to: Point): Area {
    const { area } = this;
    const along = (one: number, other: number, start: number, size: number): Range => {
      const inside = (pixel: number): number => Math.min(start + size, Math.max(start, pixel));
      const [low, high] = [inside(Math.min(one, other)), inside(Math.max(one, other))];
      return high - low < CHOOSES ? [start, size] : [low, high - low];
    };
    const [left, width] = along(from.x, to.x, area.left, area.width);
    const [top, height] = this.shape === "front" ? [area.top, area.height] : along(from.y, to.y, area.top, area.height);
    return { left, top, width, height };
  }

  /** Steps and values inside of an area, steps by whole rows; null when that is everything. */
  boxOf({ left, top, width, height }: Area): Box | null {
    const isWhole = width >= this.area.width && height >= this.area.height;
    if (isWhole || this.positions.length === 0) return null;
    const corners = [this.#valueOf({ x: left, y: top }), this.#valueOf({ x: left + width, y: top + height })];
    const [first, last] = this.shape === "front" ? [0, this.positions.length - 1] : this.#rowsOf({ left, top, width, height });
    return { x: [this.#edgeBefore(first), this.#edgeBefore(last + 1)], y: [Math.min(...corners), Math.max(...corners)] };
  }

  #rowsOf({ left, top, width, height }: Area): Range {
    const ends = this.isValueHorizontal ? [top, top + height] : [left, left + width];
    return [this.#rowAt(ends[0]!), this.#rowAt(ends[1]!)];
  }

  /** Half way between two rows; before the first and after the last one as far as to the neighbor. */
  #edgeBefore(row: number): number {
    const last = this.positions.length - 1;
    const gap = (before: number): number => (this.starts[before + 1]! - this.ends[before]!) / 2;
    if (row > last) return this.ends[last]! + (last > 0 ? gap(last - 1) : 0.5);
    if (row === 0) return this.starts[0]! - (last > 0 ? gap(0) : 0.5);
    return this.ends[row - 1]! + gap(row - 1);
  }

  #valueOf({ x, y }: Point): number {
    const { left, top, width, height } = this.area;
    const share = this.isValueHorizontal ? (x - left) / width : 1 - (y - top) / height;
    return this.valueRange[0] + share * (this.valueRange[1] - this.valueRange[0]);
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

  /** The row whose baseline or column is nearest to a pixel along the steps. */
  #rowAt(pixel: number): number {
    let [best, distance] = [0, Infinity];
    this.positions.forEach((position, row) => {
      const away = Math.abs(this.stepAt(position) - pixel);
      if (away < distance) [best, distance] = [row, away];
    });
    return best;
  }
}
