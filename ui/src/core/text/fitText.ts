// SPDX-License-Identifier: Apache-2.0
/** How many boxes, from the first, fit into lines of a width; `tail` is the box on the last line that says how many do not. */
export function fittingCount(boxes: readonly number[], width: number, tail: number, lines = 1): number {
  let line = 1;
  let taken = 0;
  for (const [count, box] of boxes.entries()) {
    if (line < lines && taken > 0 && taken + box > width) {
      line++;
      taken = 0;
    }
    taken += box;
    if (line === lines && taken + (count === boxes.length - 1 ? 0 : tail) > width) return count;
  }
  return boxes.length;
}
