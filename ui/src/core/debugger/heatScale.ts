// SPDX-License-Identifier: Apache-2.0
const LOG_FROM = 100;

/** Whether colors follow the logarithm: positive figures that differ by more than two orders of magnitude. */
export function isLogScale(minimum: number, maximum: number): boolean {
  return minimum > 0 && maximum / minimum > LOG_FROM;
}

/** The place of a value on the color scale, from 0 to 1; the middle if all are equal. */
export function heatShare(value: number, minimum: number, maximum: number, isLog: boolean): number {
  if (!(maximum > minimum)) return 0.5;
  if (isLog) return Math.log(value / minimum) / Math.log(maximum / minimum);
  return (value - minimum) / (maximum - minimum);
}
