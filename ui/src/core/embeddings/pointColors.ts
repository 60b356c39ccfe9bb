// SPDX-License-Identifier: Apache-2.0
import { colorAt, type Rgb } from "../scales/colorMap";

/** A column of metadata: `codes` are indices into `texts`; `numbers` is empty where not all are numbers. */
export interface MetadataColumn {
  texts: readonly string[];
  codes: Uint32Array;
  numbers: Float64Array;
}

/** Values of a column with a color of their own; the others share one. */
export const COLORED_VALUES = 10;
/** A column with more values is colored by its numbers. */
const MOST_CATEGORIES = 40;

/** The meaning of colors: values with their color and count, or a range of numbers. */
export type PointLegend =
  | { kind: "values"; values: readonly { text: string; series: number; count: number }[]; others: number }
  | { kind: "range"; low: number; high: number };

/** What a column means as colors: its values, the most frequent first, or its range. */
export function legendOf({ texts, codes, numbers }: MetadataColumn, isNumeric = isRange(texts, numbers)): PointLegend {
  if (isNumeric) {
    let [low, high] = [Infinity, -Infinity];
    for (const value of numbers) if (Number.isFinite(value)) [low, high] = [Math.min(low, value), Math.max(high, value)];
    return { kind: "range", low, high };
  }
  const counts = new Uint32Array(texts.length);
  for (const code of codes) counts[code]!++;
  const order = Array.from(counts.keys()).sort((one, other) => counts[other]! - counts[one]! || one - other);
  const named = order.slice(0, COLORED_VALUES);
  // ten digits are easier to find in their order than by their count
  const sorted = named.sort((one, other) => texts[one]!.localeCompare(texts[other]!, undefined, { numeric: true }));
  return {
    kind: "values",
    values: sorted.map((code, series) => ({ text: texts[code]!, series, count: counts[code]! })),
    others: order.slice(COLORED_VALUES).reduce((sum, code) => sum + counts[code]!, 0),
  };
}

/** Whether the numbers of a column mean amounts rather than names of groups. */
export function isRange(texts: readonly string[], numbers: Float64Array): boolean {
  return numbers.length > 0 && texts.length > MOST_CATEGORIES;
}

export interface PointPalette {
  /** Of values, in the order of the legend. */
  series: readonly Rgb[];
  stops: readonly Rgb[];
  /** Of points without a value of their own color. */
  rest: Rgb;
}

/** Red, green and blue of each point, 0 to 255. Without a column all have the first color. */
export function pointColors(points: number, column: MetadataColumn | null, legend: PointLegend | null, palette: PointPalette): Uint8Array {
  const colors = new Uint8Array(points * 3);
  const write = (point: number, [red, green, blue]: Rgb): void => {
    colors[point * 3] = red;
    colors[point * 3 + 1] = green;
    colors[point * 3 + 2] = blue;
  };
  if (!column || !legend) {
    for (let point = 0; point < points; point++) write(point, palette.series[0]!);
  } else if (legend.kind === "values") {
    const byText = new Map(legend.values.map(({ text, series }) => [text, palette.series[series]!]));
    const byCode = column.texts.map((text) => byText.get(text) ?? palette.rest);
    for (let point = 0; point < points; point++) write(point, byCode[column.codes[point]!] ?? palette.rest);
  } else {
    const span = legend.high - legend.low || 1;
    for (let point = 0; point < points; point++) {
      const value = column.numbers[point]!;
      write(point, Number.isFinite(value) ? colorAt(palette.stops, (value - legend.low) / span) : palette.rest);
    }
  }
  return colors;
}
