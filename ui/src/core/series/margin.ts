// SPDX-License-Identifier: Apache-2.0
import type { Band, Curve } from "./curve";
import type { Floats } from "./series";

type Line = Pick<Curve, "x" | "raw" | "smoothed" | "isAscending">;

/** The band between two lines, at the rows of another; null where a line goes back along the axis. */
export function bandBetween({ x, isAscending }: Line, lower: Line, upper: Line): Band | null {
  if (!isAscending || !lower.isAscending || !upper.isAscending) return null;
  return { low: valuesAt(x, lower), high: valuesAt(x, upper) };
}

/** Values of a line at ascending places, straight between its points; NaN beyond its ends. */
function valuesAt(places: Float64Array, { x, raw, smoothed }: Line): Floats {
  const values = smoothed ?? raw;
  let row = 0;
  return Float64Array.from(places, (place) => {
    while (row < x.length && x[row]! < place) row++;
    if (x[row] === place) return values[row]!;
    if (row === 0 || row === x.length) return NaN;
    const share = (place - x[row - 1]!) / (x[row]! - x[row - 1]!);
    return values[row - 1]! + share * (values[row]! - values[row - 1]!);
  });
}
