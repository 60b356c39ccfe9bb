// SPDX-License-Identifier: Apache-2.0
import { formatValue, groupDigits } from "../text/format";

const COUNTS = new Set([
  "count",
  "nan",
  "positive_inf",
  "negative_inf",
  "non_finite",
  "zero",
  "below_zero",
  "above_zero",
  "near_max",
  "subnormal",
]);
const NON_FINITE = new Set(["nan", "positive_inf", "negative_inf", "non_finite", "non_finite_share"]);

/** A figure in words; a dash where it was not recorded. */
export function figureText(figure: string, value: number | null | undefined): string {
  if (value === null || value === undefined || Number.isNaN(value)) return "–";
  if (COUNTS.has(figure)) return groupDigits(value);
  if (isShare(figure)) return `${formatValue(100 * value)} %`;
  return formatValue(value);
}

/** Whether a figure is a part of all elements, from 0 to 1. */
export function isShare(figure: string): boolean {
  return figure.endsWith("_share");
}

/** Whether a value of this figure is a fault by itself. */
export function isFault(figure: string, value: number | null | undefined): boolean {
  return NON_FINITE.has(figure) && value !== null && value !== undefined && value > 0;
}

/** The shape as people write it: `[32, 64]`; a dash where it is unknown. */
export function shapeText(shape: readonly number[] | null): string {
  return shape === null ? "–" : `[${shape.join(", ")}]`;
}
