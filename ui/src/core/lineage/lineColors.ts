// SPDX-License-Identifier: Apache-2.0
import { colorAt, type Rgb } from "../scales/colorMap";
import { AxisScale } from "./axisScale";
import { colorRange } from "./colorRange";
import { cellText, numbersOf, type LineageColumn, type ScaleKind } from "./column";
import { CHANNEL_MAX, type LineChannels } from "./lineRaster";

/** What colors the lines: the values of a column, or a CSS color for each run of the table. */
export type ColorBy = { readonly column: LineageColumn; readonly scale: ScaleKind } | { readonly colors: readonly string[] };

/** Colors of lines: shares of the color map, NaN for a line without a color, or a CSS color each. */
export type LineColors = { readonly shares: Float64Array } | { readonly colors: readonly string[] };

/** Whether both give each run the same color. */
export function isSameColorBy(one: ColorBy, other: ColorBy): boolean {
  if ("colors" in one || "colors" in other) {
    return (
      "colors" in one &&
      "colors" in other &&
      one.colors.length === other.colors.length &&
      one.colors.every((color, row) => color === other.colors[row])
    );
  }
  const [{ column, scale }, { column: otherColumn, scale: otherScale }] = [one, other];
  return column.cells === otherColumn.cells && column.kind === otherColumn.kind && column.goal === otherColumn.goal && scale === otherScale;
}

export const CATEGORY_COLORS = Array.from({ length: 10 }, (_, index) => `var(--series-${index})`);
/** Color of a line whose column has no value, and of lines that are not selected. */
export const NO_COLOR = "var(--ink-soft)";
/** The lowest share of the color map that is drawn: the map begins near the color of the paper. */
const FIRST_SHARE = 0.14;

/** Colors of the lines of `rows`. The better end of a numeric column has the strongest color; outliers have that of an end. */
export function lineColors(by: ColorBy, rows: ArrayLike<number>): LineColors {
  if ("colors" in by) return { colors: Array.from(rows, (row) => by.colors[row] ?? NO_COLOR) };
  const scale = new AxisScale({ column: by.column, scale: by.scale, isTurned: by.column.goal === "min" }, rows);
  if (by.scale === "category" && !isNumeric(by.column)) return { colors: Array.from(rows, (row) => categoryColor(scale, row)) };
  const range =
    by.scale === "category"
      ? null
      : colorRange(
          Array.from(rows, (row) => numbersOf(by.column)[row] ?? NaN),
          by.scale === "log",
        );
  if (range === null || range[0] === range[1]) return { shares: Float64Array.from(rows, (row) => scale.shares[row] ?? NaN) };
  const [first, last] = (scale.isTurned ? range.toReversed() : range).map((value) => scale.shareOf(value)) as [number, number];
  const shareOf = (share: number): number => Math.min(1, Math.max(0, (share - first) / (last - first)));
  return { shares: Float64Array.from(rows, (row) => shareOf(scale.shares[row] ?? NaN)) };
}

function isNumeric({ kind }: LineageColumn): boolean {
  return kind === "int" || kind === "float";
}

function categoryColor({ column, categories }: AxisScale, row: number): string {
  const text = cellText(column.cells[row] ?? null);
  const index = categories.findIndex((cell) => cellText(cell) === text);
  return index < 0 ? NO_COLOR : CATEGORY_COLORS[index % CATEGORY_COLORS.length]!;
}

/** A color of the map that is distinct from the paper. */
export function mapColor(stops: readonly Rgb[], share: number): Rgb {
  return colorAt(stops, FIRST_SHARE + (1 - FIRST_SHARE) * share);
}

/** Colors as channels of a raster: whether there is a share, and the share; or red, green and blue. */
export function channelsOf(colors: LineColors, rgb: (color: string) => Rgb): LineChannels {
  if ("shares" in colors) {
    const channels = new Uint8Array(3 * colors.shares.length);
    colors.shares.forEach((share, line) => {
      if (!Number.isNaN(share)) channels.set([CHANNEL_MAX, Math.round(share * CHANNEL_MAX)], 3 * line);
    });
    return channels;
  }
  const known = new Map(
    [...new Set(colors.colors)].map((color) => [color, rgb(color).map((part) => Math.round((part * CHANNEL_MAX) / 255))]),
  );
  return Uint8Array.from(colors.colors.flatMap((color) => known.get(color)!));
}
