// SPDX-License-Identifier: Apache-2.0
import type { Series } from "./series";

/** Steps of a series without a number between them; `last` is null where no number follows. */
export interface NanSteps {
  first: number;
  last: number | null;
}

/**
 * The steps where a whole series is NaN; null where numbers lie between them, or where none is NaN. A reduction keeps the first and the
 * last number of each pixel column and the first and the last NaN, so that this is exact for reduced series too.
 */
export function nanSteps({ nan, step, value }: Series): NanSteps | null {
  if (nan === 0) return null;
  const first = value.findIndex(Number.isNaN);
  const last = value.findLastIndex(Number.isNaN);
  if (first < 0 || !value.subarray(first, last + 1).every(Number.isNaN)) return null;
  return { first: step[first]!, last: last === value.length - 1 ? null : step[last]! };
}
